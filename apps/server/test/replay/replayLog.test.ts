import { describe, expect, it } from "@effect/vitest"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, vi } from "vitest"
import type { Log, LoggedReading } from "../../src/replay/Log.js"
import type { ReplayOptions } from "../../src/replay/options.js"
import { circlesOf, named, replay } from "../../src/replay/run.js"

const NOON = Date.UTC(2026, 2, 2, 12)
const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const HOME = { lat: 48.2, lon: 16.37 }
const CIRCLE = { ...HOME, radiusM: 150 }
const TERMS = { dwellMinutes: 10, settleS: null, silenceS: null }

/** A reading that arrives when it is captured; `north` is the distance from home in degrees of latitude. */
const at = (capturedAt: number, north: number): LoggedReading => ({
  receivedAt: Timestamp.make(capturedAt),
  reading: { capturedAt: Timestamp.make(capturedAt), lat: HOME.lat + north, lon: HOME.lon, accuracyM: 10 }
})

const log = (readings: ReadonlyArray<LoggedReading>, visits: Log["visits"] = []): Log => ({
  name: "log",
  readings,
  visits
})

const visit = (arrival: number, departure: number): Log["visits"][number] => ({
  ...HOME,
  arrival: Timestamp.make(arrival),
  departure: Timestamp.make(departure),
  accuracyM: 10
})

describe("a replay of a long log", () => {
  const days = (count: number) =>
    Array.from({ length: count }, (_, day) => [
      at(NOON + day * DAY, 0.02),
      at(NOON + day * DAY + 60 * MINUTE, 0),
      at(NOON + day * DAY + 120 * MINUTE, 0.02)
    ]).flat()
  const crossings = (readings: ReadonlyArray<LoggedReading>) =>
    Effect.map(
      named(log(readings), [CIRCLE], TERMS),
      ({ replayed }) => replayed.firings.filter(({ type }) => type !== "dwell").length
    )

  it.effect("60 days with an arrival and a departure each have 120 crossings", () =>
    Effect.gen(function* () {
      expect(yield* crossings(days(60))).toBe(120)
    })
  )

  it.effect.each([
    ["in 1970", 0],
    ["too old to be believed", Date.UTC(2005, 0, 1)]
  ] as const)("a reading %s is quarantined, and fires nothing", ([, time]) =>
    Effect.gen(function* () {
      const { replayed } = yield* named(log([at(time, 0), ...days(2)]), [CIRCLE], TERMS)
      expect(replayed.quarantined).toBe(1)
      expect(replayed.firings.filter(({ type }) => type !== "dwell")).toHaveLength(4)
      expect(replayed.firings.every(({ occurredAt, storedAt }) => occurredAt === storedAt)).toBe(true)
    })
  )
})

describe("visits that a file reports", () => {
  it.effect("are found in a file without readings", () =>
    Effect.gen(function* () {
      const { replayed } = yield* named(log([], [visit(NOON, NOON + 60 * MINUTE)]), [CIRCLE], TERMS)
      expect(replayed).toMatchObject({
        quarantined: 0,
        visits: [{ place: 1, arrival: NOON, departure: NOON + 60 * MINUTE }]
      })
    })
  )

  it.effect("are found before the first reading and after the last", () =>
    Effect.gen(function* () {
      const reported = [visit(NOON - 5 * DAY, NOON - 4 * DAY), visit(NOON + DAY, NOON + 2 * DAY)]
      const { replayed } = yield* named(log([at(NOON, 0.02)], reported), [CIRCLE], TERMS)
      expect(replayed).toMatchObject({ accepted: 1, quarantined: 0 })
      expect(replayed.visits.map(({ arrival, departure }) => [arrival, departure])).toEqual(
        reported.map(({ arrival, departure }) => [arrival, departure])
      )
    })
  )
})

describe("the places of a replay", () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "place-access-"))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await rm(directory, { recursive: true, force: true })
  })

  /** A log that stays at each of `count` spots, a minute longer at each spot than at the spot before. */
  const wanderer = (count: number): ReadonlyArray<LoggedReading> => {
    const readings: Array<LoggedReading> = []
    for (let spot = 0, time = NOON; spot < count; spot++, time += 10 * MINUTE) {
      readings.push(at(time, spot * 0.01))
      time += (10 + spot) * MINUTE
      readings.push(at(time, spot * 0.01))
    }
    return readings
  }

  const file = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name)
    await writeFile(path, text)
    return path
  }
  const csv = (readings: ReadonlyArray<LoggedReading>) =>
    file(
      "log.csv",
      [
        "capture_ts,write_ts,latitude,longitude,accuracy_m",
        ...readings.map(({ reading: { capturedAt, lat, lon } }) => `${capturedAt / 1_000},,${lat},${lon},10`)
      ].join("\n")
    )
  const options = (path: string, places?: string): ReplayOptions => ({
    ...TERMS,
    files: [path],
    places,
    radiusM: 150,
    output: "digest"
  })
  const printed = () => {
    const lines = { out: [] as Array<string>, err: [] as Array<string> }
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.out.push(line))
    vi.spyOn(console, "error").mockImplementation((line: string) => void lines.err.push(line))
    return lines
  }

  it("are the 99 spots with the longest stays, and the others are counted", async () => {
    const readings = wanderer(101)
    const lines = printed()
    const circles = await Effect.runPromise(circlesOf(log(readings), 150))
    expect(circles.map(({ lat }) => lat)).toEqual(
      readings
        .filter((_, index) => index % 2 === 0)
        .map(({ reading }) => reading.lat)
        .slice(2)
        .toReversed()
    )
    await Effect.runPromise(replay(options(await csv(readings))))
    const said = "has 101 spots. The replay leaves out the 2 with the shortest stays."
    expect(lines.err).toEqual([`${log(readings).name} ${said}`, `log.csv ${said}`])
    expect(lines.out).toEqual([expect.stringMatching(/^log\.csv: 202 readings, 99 places, /)])
  })

  it("a file of 99 places is taken, and a longer one is refused", async () => {
    const places = (count: number) =>
      file("places.json", JSON.stringify(Array.from({ length: count }, (_, index) => ({ lat: index / 10, lon: 1 }))))
    const lines = printed()
    const path = await csv(wanderer(1))
    await Effect.runPromise(replay(options(path, await places(99))))
    expect(lines.out).toEqual([expect.stringMatching(/^log\.csv: 2 readings, 99 places, /)])
    expect(await Effect.runPromise(Effect.flip(replay(options(path, await places(100)))))).toMatchObject({
      _tag: "CannotStart",
      message: expect.stringMatching(/places\.json has 100 places: a replay can have at most 99\.$/)
    })
  })
})
