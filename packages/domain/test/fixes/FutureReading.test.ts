import { FutureReading } from "@place-access/domain/fixes"
import { describe, expect, it } from "vitest"
import { DAY, HOUR, INSIDE, MINUTE, NOON, time } from "../support/rules.js"

/** A reading that arrived `arrived` milliseconds after noon with a capture time `ahead` milliseconds later. */
const future = (arrived: number, ahead: number, more: Partial<typeof INSIDE> = {}): FutureReading.FutureReading => ({
  key: `${arrived}`,
  reading: { capturedAt: time(NOON + arrived + ahead), ...INSIDE, accuracyM: 5, ...more },
  receivedAt: time(NOON + arrived)
})

/**
 * A fix: the times of its capture and of its arrival, in milliseconds after noon. A single number stands for both
 * times.
 */
type Times = number | readonly [captured: number, arrived: number]

/** A reading that arrived at noon with a capture time one hour later. */
const WAITING = future(0, HOUR)

const fixesOf = (fixes: ReadonlyArray<Times>) =>
  fixes.map((one) => {
    const [captured, arrived] = typeof one === "number" ? [one, one] : one
    return { capturedAt: time(NOON + captured), receivedAt: time(NOON + arrived) }
  })

/** The arrival times of the readings that an upload of these fixes accepts. */
const taken = (readings: ReadonlyArray<FutureReading.FutureReading>, ...fixes: ReadonlyArray<Times>) => {
  const given = fixesOf(fixes)
  const now = time(Math.max(NOON, ...given.map(({ receivedAt }) => receivedAt)))
  return FutureReading.due(FutureReading.undisputed(readings, given), given, now).map((one) => one.receivedAt - NOON)
}

const isTaken = (...fixes: ReadonlyArray<Times>): boolean => taken([WAITING], ...fixes).length === 1

describe("a reading that was put aside as from the future", () => {
  it("is taken once its device sends what was captured later: the server's clock was wrong [fixes-4]", () => {
    expect(isTaken(HOUR - 1)).toBe(false)
    expect(isTaken(HOUR)).toBe(true)
    expect(isTaken(5 * HOUR)).toBe(true)
    expect(isTaken()).toBe(false)
  })

  it("stays aside when its device captured something between its arrival and its time: the phone's clock was set back [fixes-4]", () => {
    expect(isTaken(2 * HOUR, MINUTE)).toBe(false)
    expect(isTaken(2 * HOUR, HOUR - 1)).toBe(false)
    expect(isTaken(2 * HOUR, 0, -MINUTE)).toBe(true)
    expect(isTaken(2 * HOUR, HOUR)).toBe(true)
    expect(isTaken(2 * HOUR, [MINUTE, 0])).toBe(true)
    expect(isTaken(2 * HOUR, [HOUR - 1, 2])).toBe(true)
  })

  it("stays aside when it was more than a day ahead, or cannot be at all", () => {
    const due = (ahead: number, lat = INSIDE.lat) => taken([future(0, ahead, { lat })], 3 * DAY)
    expect(due(DAY)).toEqual([0])
    expect(due(DAY + 1)).toEqual([])
    expect(due(DAY, 91)).toEqual([])
  })

  it("is asked for while one may wait: two days, because a corrected clock jumps", () => {
    expect(FutureReading.mayWait(null, time(NOON))).toBe(false)
    expect(FutureReading.mayWait(time(NOON), time(NOON + 2 * DAY))).toBe(true)
    expect(FutureReading.mayWait(time(NOON), time(NOON + 2 * DAY + 1))).toBe(false)
  })
})

/** Readings that arrived every 5 minutes, from noon until `until` minutes after noon. */
const each5 = (until: number, aheadMinutes: number) =>
  Array.from({ length: until / 5 + 1 }, (_, index) => future(index * 5 * MINUTE, aheadMinutes * MINUTE))

const minutes = (...all: ReadonlyArray<number>) => all.map((one) => one * MINUTE)

describe("several readings that were put aside as from the future [fixes-4]", () => {
  it("all stay aside when the last is contradicted: the phone's clock had been ahead all the time", () => {
    expect(taken(each5(120, 10), ...minutes(125))).toEqual([])
    expect(taken(each5(120, 10), ...minutes(125, 500))).toEqual([])
    // The fix contradicts only the last quarantined reading. The earlier quarantined readings also stay in quarantine,
    // because the phone's clock was already ahead when they arrived.
    expect(taken(each5(15, 10), ...minutes(20))).toEqual([])
  })

  it("are all taken after the server's clock was behind, in whatever order they arrived", () => {
    expect(taken(each5(120, 60), ...minutes(180))).toHaveLength(25)
    expect(taken([future(0, 2 * HOUR), future(MINUTE, HOUR), future(2 * MINUTE, 3 * HOUR)], 4 * HOUR)).toHaveLength(3)
    expect(taken(each5(120, 60), -HOUR, -MINUTE, 0, ...minutes(180, 185, 190))).toHaveLength(25)
  })

  it("are taken when they arrived after the contradicted one", () => {
    expect(taken([...each5(20, 30), future(HOUR, 30 * MINUTE)], ...minutes(45, 120))).toEqual([HOUR])
  })

  it("stay aside when they arrived together with the contradicted one, or the clock was put right in two steps", () => {
    expect(taken([future(0, 10 * MINUTE), future(0, HOUR)], ...minutes(30, 90))).toEqual([])
    // The phone's clock was first three hours ahead, then ten minutes ahead, and then right.
    expect(taken([...each5(60, 180), future(70 * MINUTE, 10 * MINUTE)], ...minutes(75))).toEqual([])
    expect(taken([future(0, 10 * MINUTE), future(MINUTE, 365 * DAY)], ...minutes(30))).toEqual([])
  })

  it("are taken when nothing contradicts one: the phone sent nothing for longer than its clock was ahead", () => {
    expect(taken([future(0, 10 * MINUTE), future(30 * MINUTE, 10 * MINUTE)], ...minutes(60))).toEqual(minutes(0, 30))
  })

  it("are not contradicted by a fix that was itself from the future", () => {
    expect(taken([WAITING], [30 * MINUTE, 25 * MINUTE - 1], 2 * HOUR)).toEqual([0])
    expect(taken([WAITING], [30 * MINUTE, 25 * MINUTE], 2 * HOUR)).toEqual([])
  })
})
