import { Sending } from "@place-access/domain/devices"
import { RuleEvaluation } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck } from "effect"
import { describe, expect, it } from "vitest"
import { NOON, time } from "../support/rules.js"

const { DAY, HOUR, MINUTE } = Timestamp
const NOW = time(NOON + 30 * MINUTE)
const OLD = { createdAt: time(NOON - 30 * DAY), format: "owntracks" } as const

/**
 * What a store returns for readings that were captured `before` milliseconds before `NOW`, and arrived `delay`
 * milliseconds after their capture.
 */
const stored = (
  readings: ReadonlyArray<{ readonly before: number; readonly delay?: number }>
): Sending.SentReadings => {
  const edges = Sending.edges(NOW)
  const all = readings
    .map(({ before, delay = 0 }) => ({ at: time(NOW - before), delay }))
    .filter(({ at }) => at >= (edges[0] ?? 0))
    .sort((a, b) => a.at - b.at)
  return {
    counts: edges.slice(0, -1).flatMap((from, edge) => {
      const within = all.filter(({ at }) => at >= from && at < (edges[edge + 1] ?? 0))
      const [first, last] = [within[0], within.at(-1)]
      if (first === undefined || last === undefined) return []
      const late = within.filter(({ delay }) => delay > Sending.LATE_AFTER).length
      return [{ edge, readings: within.length, late, firstAt: first.at, lastAt: last.at }]
    }),
    silences: all.flatMap(({ at }, index) => {
      const next = all[index + 1]
      return next !== undefined && next.at - at >= Sending.SILENT_AFTER ? [{ from: at, until: next.at }] : []
    })
  }
}

/** Readings of the last 24 hours, one reading every `step` milliseconds. */
const every = (step: number, delay = 0) =>
  Array.from({ length: Math.ceil((24 * HOUR) / step) }, (_, index) => ({ before: index * step, delay }))

describe("how often a phone sends [devices-16]", () => {
  it("tells 24 hours, this one included, which begin with the hour", () => {
    const { hours } = Sending.of(OLD, stored([{ before: 0 }, { before: 31 * MINUTE }, { before: 2 * DAY }]), NOW)
    expect(hours).toHaveLength(24)
    expect(hours.at(-1)).toEqual({ from: NOON, readings: 1, late: 0 })
    expect(hours.at(-2)).toEqual({ from: NOON - HOUR, readings: 1, late: 0 })
    expect(hours[0]?.from).toBe(NOON - 23 * HOUR)
  })

  it("a reading is late exactly when no rule fires for it", () => {
    expect(Sending.LATE_AFTER).toBe(RuleEvaluation.STALE_AFTER)
  })

  it("a silence is 15 minutes: 14:59.999 is none; the ends of the day count, too", () => {
    const silences = (...before: ReadonlyArray<number>) =>
      Sending.of({ ...OLD, createdAt: time(NOW - HOUR) }, stored(before.map((one) => ({ before: one }))), NOW).silences
    const minutes = (...all: ReadonlyArray<number>) => all.map((one) => one * MINUTE)
    expect(silences(...minutes(46, 31, 16, 1))).toEqual([
      { from: NOW - 46 * MINUTE, until: NOW - 31 * MINUTE },
      { from: NOW - 31 * MINUTE, until: NOW - 16 * MINUTE },
      { from: NOW - 16 * MINUTE, until: NOW - MINUTE }
    ])
    expect(silences(46 * MINUTE, 31 * MINUTE + 1, 17 * MINUTE, 3 * MINUTE)).toEqual([])
    expect(silences(45 * MINUTE)).toEqual([
      { from: NOW - HOUR, until: NOW - 45 * MINUTE },
      { from: NOW - 45 * MINUTE, until: NOW }
    ])
    expect(silences()).toEqual([{ from: NOW - HOUR, until: NOW }])
  })

  it("the longest silence is the first of the longest", () => {
    const readings = [0, 15, 40, 41, 66].map((minutes) => ({ before: minutes * MINUTE }))
    const { longest } = Sending.of({ ...OLD, createdAt: time(NOW - 66 * MINUTE) }, stored(readings), NOW)
    expect(longest).toEqual({ from: NOW - 66 * MINUTE, until: NOW - 41 * MINUTE })
  })

  it("advises: late from one reading in twenty on, sleeping from an hour on, much from one every 30 s on [devices-16-advice]", () => {
    const advice = (readings: Parameters<typeof stored>[0], device: Parameters<typeof Sending.of>[0] = OLD) =>
      Sending.of(device, stored(readings), NOW).advice
    const tenMinutes = every(10 * MINUTE)
    expect(advice(tenMinutes)).toEqual([])
    const late = (count: number) => tenMinutes.map((one, index) => (index < count ? { ...one, delay: HOUR } : one))
    const total = Sending.of(OLD, stored(tenMinutes), NOW).readings
    expect(advice(late(Math.ceil(total / 20) - 1))).toEqual([])
    expect(advice(late(Math.ceil(total / 20)))).toEqual(["arrives_late"])
    const twenty = Array.from({ length: 20 }, (_, index) => ({ before: index * 10 * MINUTE }))
    expect(advice(twenty.map((one) => (one.before === 0 ? { ...one, delay: HOUR } : one)))).toContain("arrives_late")
    const without = (length: number) =>
      every(MINUTE).filter(({ before }) => before <= 2 * HOUR || before >= 2 * HOUR + length)
    expect(advice(without(HOUR - MINUTE))).toEqual([])
    expect(advice(without(HOUR))).toEqual(["sleeps"])
    expect(advice(every(31_000))).toEqual([])
    expect(advice(every(29_000))).toEqual(["sends_much"])
    const isNew = (before: number) => ({ ...OLD, createdAt: time(NOW - before) })
    const seconds = (before: number) => every(10_000).filter((one) => one.before <= before)
    expect(advice(seconds(HOUR - 1), isNew(HOUR - 1))).toEqual([])
    expect(advice(seconds(HOUR), isNew(HOUR))).toEqual(["sends_much"])
    expect(advice(every(29_000), { ...OLD, format: "browser" })).toEqual([])
    expect(advice([])).toEqual([])
  })

  it("a silence with a stretch that the owner deleted is none, and causes no advice [retention-choice-4]", () => {
    const readings = stored(every(MINUTE).filter(({ before }) => before <= 2 * HOUR || before >= 5 * HOUR))
    const erased = (from: number, until: number) => [{ from: time(NOW - from), until: time(NOW - until) }]
    const found = (erasures: ReadonlyArray<Sending.SilentStretch>) => {
      const { advice, isPartlyErased, longest, silences } = Sending.of(OLD, readings, NOW, erasures)
      return [silences.length, longest?.from ?? null, advice, isPartlyErased]
    }
    const silent = [1, NOW - 5 * HOUR, ["sleeps"], false]
    expect(found([])).toEqual(silent)
    expect(found(erased(5 * HOUR - 1, 2 * HOUR))).toEqual([0, null, [], true])
    expect(found(erased(4 * HOUR, 3 * HOUR))).toEqual([0, null, [], true])
    expect(found(erased(9 * HOUR, 5 * HOUR))).toEqual(silent)
    expect(found(erased(2 * HOUR, HOUR))).toEqual(silent)
  })

  it("the time of a deleted stretch is no time in which the phone was awake [devices-16-advice]", () => {
    const half = stored(every(29_000).filter(({ before }) => before <= 11 * HOUR))
    const erasures = [{ from: time(NOW - DAY), until: time(NOW - 11 * HOUR) }]
    expect(Sending.of(OLD, half, NOW, erasures).advice).toEqual(["sends_much"])
  })

  it("whatever was sent: the hours add up, silences do not overlap, and the longest is one of them", () => {
    const reading = FastCheck.record({
      before: FastCheck.oneof(
        FastCheck.constantFrom(0, 15 * MINUTE - 1, 15 * MINUTE, HOUR, 23 * HOUR, DAY),
        FastCheck.integer({ min: 0, max: 25 * HOUR })
      ),
      delay: FastCheck.constantFrom(0, 15 * MINUTE, 15 * MINUTE + 1, HOUR)
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(reading, { maxLength: 40 }), (readings) => {
        const { hours, late, longest, readings: count, silences } = Sending.of(OLD, stored(readings), NOW)
        const begin = Sending.edges(NOW)[0] ?? 0
        const within = readings.filter(({ before }) => NOW - before >= begin)
        expect(count).toBe(within.length)
        expect(hours.reduce((sum, hour) => sum + hour.readings, 0)).toBe(count)
        expect(late).toBe(within.filter(({ delay }) => delay > 15 * MINUTE).length)
        for (const [index, { from, until }] of silences.entries()) {
          expect(until - from).toBeGreaterThanOrEqual(15 * MINUTE)
          expect(from).toBeGreaterThanOrEqual(silences[index - 1]?.until ?? begin)
          expect(within.some(({ before }) => NOW - before > from && NOW - before < until)).toBe(false)
        }
        expect(longest === null).toBe(silences.length === 0)
        expect(longest === null || silences.includes(longest)).toBe(true)
      })
    )
  })
})
