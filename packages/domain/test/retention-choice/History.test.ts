import { History } from "@place-access/domain/retention-choice"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck as fc, Schema } from "effect"
import { describe, expect, it } from "vitest"

const { DAY, HOUR } = Timestamp
const NOW = Timestamp.make(Date.UTC(2026, 2, 1, 12))
const ago = (millis: number) => Timestamp.plus(NOW, -millis)

describe("cutoff", () => {
  it.each([30, 90, 365] as const)(
    "%d days to the millisecond are past, a millisecond less is not [T2, retention-choice-1]",
    (days) => {
      const cutoff = History.cutoff(days, NOW)
      expect(History.isPast(ago(days * DAY - 1), cutoff)).toBe(false)
      expect(History.isPast(ago(days * DAY), cutoff)).toBe(true)
      expect(History.isPast(ago(days * DAY + 1), cutoff)).toBe(true)
    }
  )

  it("history without a limit has no cutoff", () => {
    expect(History.isPast(Timestamp.make(0), History.cutoff(null, NOW))).toBe(false)
  })

  it("without a choice history is kept without a limit", () => {
    expect(History.DEFAULT).toBeNull()
  })

  it.each([31, 0, -30, "90", Number.NaN, Number.POSITIVE_INFINITY])("%s is no choice", (value) => {
    expect(Schema.is(History.Keep)(value)).toBe(false)
  })
})

describe("shortens", () => {
  const choices: ReadonlyArray<History.Keep> = [30, 90, 365, null]
  it("only from a longer choice to a shorter one", () => {
    const pairs = choices.flatMap((before, i) => choices.map((after, j) => [History.shortens(before, after), j < i]))
    for (const [actual, expected] of pairs) expect(actual).toBe(expected)
  })
})

describe("deletedAt", () => {
  it("at the first full hour at which it is past", () => {
    expect(History.deletedAt(ago(90 * DAY - 1), 90, NOW)).toBe(NOW + HOUR)
    expect(History.deletedAt(Timestamp.plus(NOW, 0), 90, NOW)).toBe(NOW + 90 * DAY)
    expect(History.deletedAt(Timestamp.plus(NOW, 1), 90, NOW)).toBe(NOW + 90 * DAY + HOUR)
    expect(History.deletedAt(ago(0), null, NOW)).toBeNull()
  })

  it("is a full hour, later than now, at which it is past, and no earlier one is", () => {
    const moment = fc.integer({ min: NOW - 500 * DAY, max: NOW }).map(Timestamp.make)
    fc.assert(
      fc.property(moment, fc.constantFrom<30 | 90 | 365>(30, 90, 365), (at, keep) => {
        const due = History.deletedAt(at, keep, NOW)
        if (due === null) throw new Error("it has an end")
        expect(due % HOUR).toBe(0)
        expect(due).toBeGreaterThan(NOW)
        expect(History.isPast(at, History.cutoff(keep, due))).toBe(true)
        const earlier = Timestamp.plus(due, -HOUR)
        expect(earlier <= NOW || !History.isPast(at, History.cutoff(keep, earlier))).toBe(true)
      })
    )
  })
})
