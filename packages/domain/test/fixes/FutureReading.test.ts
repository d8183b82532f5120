import { FutureReading } from "@place-access/domain/fixes"
import { describe, expect, it } from "vitest"
import { DAY, HOUR, INSIDE, MINUTE, NOON, time } from "../support/rules.js"

/** A reading that arrived at noon with a capture time one hour later. */
const WAITING: FutureReading.FutureReading = {
  key: "one",
  reading: { capturedAt: time(NOON + HOUR), ...INSIDE, accuracyM: 5 },
  receivedAt: time(NOON)
}

/**
 * Whether `WAITING` is accepted when its device sends fixes that were captured this many milliseconds after noon. The
 * fixes arrive at the capture time of the newest fix.
 */
const isTaken = (...captured: ReadonlyArray<number>): boolean =>
  FutureReading.due(
    [WAITING],
    captured.map((after) => ({ capturedAt: time(NOON + after) })),
    time(NOON + Math.max(...captured))
  ).length === 1

describe("a reading that was put aside as from the future", () => {
  it("is taken once its device sends what was captured later: the server's clock was wrong [fixes-4]", () => {
    expect(isTaken(HOUR - 1)).toBe(false)
    expect(isTaken(HOUR)).toBe(true)
    expect(isTaken(5 * HOUR)).toBe(true)
    expect(FutureReading.due([WAITING], [], time(NOON + DAY))).toEqual([])
  })

  it("stays aside when its device captured something between its arrival and its time: the phone's clock was set back [fixes-4]", () => {
    expect(isTaken(2 * HOUR, MINUTE)).toBe(false)
    expect(isTaken(2 * HOUR, HOUR - 1)).toBe(false)
    expect(isTaken(2 * HOUR, 0, -MINUTE)).toBe(true)
    expect(isTaken(2 * HOUR, HOUR)).toBe(true)
  })

  it("stays aside when it was more than a day ahead, or cannot be at all", () => {
    const later = [{ capturedAt: time(NOON + 3 * DAY) }]
    const due = (ahead: number, lat = INSIDE.lat) =>
      FutureReading.due(
        [{ ...WAITING, reading: { ...WAITING.reading, lat, capturedAt: time(NOON + ahead) } }],
        later,
        time(NOON + 3 * DAY)
      ).map(({ fix }) => fix.capturedAt - NOON)
    expect(due(DAY)).toEqual([DAY])
    expect(due(DAY + 1)).toEqual([])
    expect(due(DAY, 91)).toEqual([])
  })

  it("is asked for while one may wait: two days, because a corrected clock jumps", () => {
    expect(FutureReading.mayWait(null, time(NOON))).toBe(false)
    expect(FutureReading.mayWait(time(NOON), time(NOON + 2 * DAY))).toBe(true)
    expect(FutureReading.mayWait(time(NOON), time(NOON + 2 * DAY + 1))).toBe(false)
  })
})
