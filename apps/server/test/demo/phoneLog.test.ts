import { Either } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as PhoneLog from "../../src/demo/PhoneLog.js"

const HEAD = "capture_ts,write_ts,latitude,longitude,accuracy_m,speed_mps,bearing_deg,altitude_m,platform"
const parse = (...lines: ReadonlyArray<string>) => PhoneLog.parse(lines.join("\n"))
const problem = (...lines: ReadonlyArray<string>): string =>
  Either.match(parse(...lines), { onLeft: ({ message }) => message, onRight: () => "accepted" })

describe("a recorded phone log", () => {
  it("is read by the names of its columns, wherever they stand; seconds become milliseconds", () => {
    const log = Either.getOrThrow(
      parse(
        "platform,longitude,latitude,write_ts,capture_ts,altitude_m,bearing_deg,speed_mps,accuracy_m",
        "ios,13.4,52.5,1000.5,1000.25,40,-1,-1,10",
        ""
      )
    )
    expect(log).toEqual([
      {
        capturedAt: 1_000_250,
        writtenAt: 1_000_500,
        lat: 52.5,
        lon: 13.4,
        accuracyM: 10,
        speedMps: -1,
        courseDeg: -1,
        altitudeM: 40
      }
    ])
  })

  it("says which columns are missing, and on which line something is no number", () => {
    expect(problem("capture_ts,latitude,longitude", "1,2,3")).toContain("write_ts, accuracy_m, speed_mps")
    expect(problem(HEAD, "1,1,52,13,5,0,0,0,ios", "2,2,north,13,5,0,0,0,ios")).toBe("line 3: latitude is no number")
    expect(problem(HEAD, "1,1,52")).toContain("line 2")
    expect(problem(HEAD)).toBe("it has no readings")
  })

  it("names the line as an editor counts it: empty lines count", () => {
    expect(problem("", HEAD, "", "1,1,52,13,5,0,0,0,ios", "  ", "2,2,north,13,5,0,0,0,ios", "")).toBe(
      "line 6: latitude is no number"
    )
  })

  it("goes out as the phone stored it: what was stored within the gap together, nothing before it was measured", () => {
    const line = (capture: number, write: number) => `${capture},${write},52,13,5,0,0,0,ios`
    // The phone says that it stored the third reading before it measured the reading. Logs of phones whose clock jumps
    // contain such readings.
    const log = Either.getOrThrow(parse(HEAD, line(100, 130), line(101, 110), line(140, 120), line(90, 300)))
    const seconds = PhoneLog.uploads(log, 30_000).map(({ at, readings }) => ({
      at: at / 1000,
      captured: readings.map(({ capturedAt }) => capturedAt / 1000)
    }))
    expect(seconds).toEqual([
      { at: 140, captured: [101, 100, 140] },
      { at: 300, captured: [90] }
    ])
    expect(PhoneLog.span(log)).toEqual({ from: 90_000, to: 300_000 })
  })

  it("may have 200,000 lines", () => {
    const one = { writtenAt: 0, lat: 52, lon: 13, accuracyM: 5, speedMps: 0, courseDeg: 0, altitudeM: 0 }
    const log = Array.from({ length: 200_000 }, (_, index) => ({ ...one, capturedAt: 1_000 + index }))
    expect(PhoneLog.span(log)).toEqual({ from: 1_000, to: 200_999 })
  })

  it("the one that comes with the demo is readable and its own", () => {
    const log = Either.getOrThrow(
      PhoneLog.parse(readFileSync(join(import.meta.dirname, "../../demo/walk.csv"), "utf8"))
    )
    expect(log.length).toBeGreaterThan(100)
  })
})
