import { Rule } from "@place-access/domain/rules"
import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Log from "../../src/replay/Log.js"
import { parse, USAGE } from "../../src/replay/options.js"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "place-access-"))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const HEAD = "capture_ts,write_ts,latitude,longitude,accuracy_m"
const readingsOf = async (...lines: ReadonlyArray<string>) => {
  const path = join(directory, "log.csv")
  await writeFile(path, lines.join("\n"))
  return Effect.runPromise(Effect.either(Log.read(path)))
}

describe("a log to replay", () => {
  it("is read in the order in which its readings arrived; without a time of storing, that of measuring counts", async () => {
    const reading = { lat: 52.5, lon: 13.4, accuracyM: 10 }
    expect(await readingsOf(HEAD, "1000.5,1002,52.5,13.4,10", "", "1001,,52.5,13.4,10", "")).toMatchObject({
      right: {
        readings: [
          { receivedAt: 1_001_000, reading: { capturedAt: 1_001_000, ...reading } },
          { receivedAt: 1_002_000, reading: { capturedAt: 1_000_500, ...reading } }
        ]
      }
    })
  })

  it.each([
    ["whose last line is cut off", "17000", "line 3: latitude is no number"],
    ["with a comment in it", "# the battery was empty", "line 3: capture_ts is no number"],
    ["with its header repeated", HEAD, "line 3: capture_ts is no number"],
    ["with an empty cell", "1001,1001,52.5,,10", "line 3: longitude is no number"]
  ])("%s is refused, and the line is named", async (_, line, problem) => {
    expect(await readingsOf(HEAD, "1000,1000,52.5,13.4,10", line)).toMatchObject({
      left: { _tag: "CannotStart", message: `log.csv cannot be read: ${problem}.` }
    })
  })
})

describe("--silence", () => {
  it.each([
    ["299", false],
    ["300", true],
    ["1800", true],
    ["1801", false]
  ])("%s: %s, as for the silence_s of a rule", (silence, isTaken) => {
    expect(parse(["log.csv", "--silence", silence])).toMatchObject(
      isTaken
        ? { right: { options: { silenceS: Number(silence) } } }
        : { left: "--silence must be a whole number from 300 to 1800." }
    )
  })

  it("has this range in the help too", () => {
    expect(USAGE).toContain(`the silence_s of the dwell rules, ${Rule.MIN_SILENCE_S} to ${Rule.MAX_SILENCE_S} seconds`)
  })
})
