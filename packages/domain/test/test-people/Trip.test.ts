import type { Fix } from "@place-access/domain/fixes"
import { RuleEvaluation } from "@place-access/domain/rules"
import { Trip } from "@place-access/domain/test-people"
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { DAY, MINUTE, NOON, time } from "../support/rules.js"

// Evaluates the readings of each trip with the product's rules. The page for developers says what a rule does on each
// trip, and these tests show that the page is right.

const CIRCLE = { lat: 52.37, lon: 4.89, radiusM: 150 }
const QUALITY = { accuracyM: 10, lateMinutes: 0 }
const NOW = time(NOON)

type PlaceTrip = Exclude<Trip.Trip, { readonly kind: "log" }>

const trip = (kind: Trip.TripKind, more: Partial<Extract<Trip.Trip, { readonly kind: "stay" }>> = {}): Trip.Trip =>
  ({ kind, circle: CIRCLE, minutes: 30, ...QUALITY, ...more }) as PlaceTrip

const readingsOf = (given: Trip.Trip, lastAt: number | null = null): ReadonlyArray<Fix.Reading> =>
  Either.getOrThrow(Trip.readings(given, lastAt === null ? null : time(lastAt), NOW))

const reasonOf = (given: Trip.Trip, lastAt: number): string | undefined =>
  Either.match(Trip.readings(given, time(lastAt), NOW), { onLeft: ({ reason }) => reason, onRight: () => undefined })

/** What a rule does with each reading. All readings arrive at `NOW`, and the rule was made a second before `NOW`. */
const outcomes = (
  type: "enter" | "exit" | "dwell",
  readings: ReadonlyArray<Fix.Reading>,
  dwellMinutes: number | null = null
): ReadonlyArray<RuleEvaluation.RuleOutcome> => {
  const question: RuleEvaluation.Question = {
    type,
    circle: CIRCLE,
    dwellMinutes,
    settleS: null,
    silenceS: null,
    window: { from: null, until: null },
    firesFrom: time(NOON - 1_000)
  }
  let state = RuleEvaluation.unseeded("basis")
  return readings.map((reading) => {
    const step = RuleEvaluation.step(question, state, reading, NOW)
    state = step.state
    return step.outcome
  })
}

describe("a trip [test-people-4]", () => {
  it("arrives now, from outside: an enter rule that was made a moment ago fires", () => {
    const readings = readingsOf(trip("arrive"))
    expect(readings.map(({ capturedAt }) => capturedAt - NOW)).toEqual([-MINUTE, 0])
    expect(outcomes("enter", readings)).toEqual(["seeded", "fired"])
  })

  it("leaves now: an exit rule fires", () => {
    expect(outcomes("exit", readingsOf(trip("leave")))).toEqual(["seeded", "fired"])
  })

  it("stays 30 minutes up to now: the dwell fires at the last reading, the enter is stale", () => {
    const readings = readingsOf(trip("stay"))
    expect(readings).toHaveLength(32)
    expect(outcomes("dwell", readings, 30).slice(-2)).toEqual(["no_change", "fired"])
    expect(outcomes("enter", readings)[1]).toBe("stale")
  })

  it("fires nothing when it arrives more than 15 minutes late, and fires at 15", () => {
    const rule = (minutes: number) =>
      readingsOf(trip("arrive", { lateMinutes: minutes })).map(({ capturedAt }) => capturedAt - NOW)
    expect(rule(15)).toEqual([-16 * MINUTE, -15 * MINUTE])
    expect(outcomes("enter", readingsOf(trip("arrive", { lateMinutes: 16 })))).toEqual(["seeded", "stale"])
  })

  it("decides nothing when its accuracy is worse than its distance from the edge", () => {
    expect(outcomes("enter", readingsOf(trip("arrive", { accuracyM: 600 })))).toEqual(["boundary", "boundary"])
  })

  it("is decisive for every circle on earth, at the poles too", () => {
    const circle = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lon: fc.double({ min: -180, max: 180, noNaN: true }),
      radiusM: fc.double({ min: 101, max: 10_000, noNaN: true })
    })
    fc.assert(
      fc.property(circle, (where) => {
        const readings = readingsOf(trip("arrive", { circle: where }))
        let state = RuleEvaluation.unseeded("basis")
        const question = {
          type: "enter" as const,
          circle: where,
          dwellMinutes: null,
          settleS: null,
          silenceS: null,
          window: { from: null, until: null },
          firesFrom: null
        }
        return (
          readings.every(({ lat }) => Math.abs(lat) <= 90) &&
          readings.map((reading) => {
            const step = RuleEvaluation.step(question, state, reading, NOW)
            state = step.state
            return step.outcome
          })[1] === "fired"
        )
      })
    )
  })
})

describe("a trip after other readings [test-people-4]", () => {
  it("lies after the newest reading, however short the time", () => {
    expect(readingsOf(trip("arrive"), NOON - 2).map(({ capturedAt }) => capturedAt - NOW)).toEqual([-1, 0])
    expect(reasonOf(trip("arrive"), NOON - 1)).toBe("the phone has just sent a reading; wait a moment")
  })

  it("refuses a stay for which there was no time, and says which stay there was time for", () => {
    expect(reasonOf(trip("stay"), NOON - 31 * MINUTE - 1)).toBeUndefined()
    expect(reasonOf(trip("stay"), NOON - 31 * MINUTE)).toContain("at most 29 minutes")
    expect(readingsOf(trip("stay", { minutes: 29 }), NOON - 31 * MINUTE)[0]!.capturedAt).toBeGreaterThan(
      NOON - 31 * MINUTE
    )
    expect(reasonOf(trip("stay"), NOON - 2 * MINUTE)).toContain("make another test person")
  })

  it("that is late on purpose is not refused", () => {
    expect(reasonOf(trip("stay", { lateMinutes: 1 }), NOON)).toBeUndefined()
  })
})

describe("a trip that is late by a fraction of a millisecond [test-people-4]", () => {
  it("has whole milliseconds: the phone's row, with another time, could no longer be read", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Trip.TripKind>("arrive", "leave", "stay"),
        fc.oneof(fc.constantFrom(1 / 7, 16.66667, 0.000001), fc.double({ min: 0, max: 1_440, noNaN: true })),
        (kind, lateMinutes) => {
          const times = readingsOf(trip(kind, { lateMinutes })).map(({ capturedAt }) => capturedAt)
          expect(times.filter((one) => !Number.isInteger(one))).toEqual([])
        }
      )
    )
  })
})

describe("a log [test-people-4]", () => {
  it("ends at a whole millisecond", () => {
    const at = (after: number) => ({ capturedAt: time(NOON - DAY + after), lat: 1, lon: 2 })
    const [only] = readingsOf({ kind: "log", readings: [at(0)], lateMinutes: 1 / 7 })
    expect(Number.isInteger(only?.capturedAt)).toBe(true)
  })

  it("keeps its distances in time and ends now, in order", () => {
    const at = (after: number) => ({ capturedAt: time(NOON - 400 * DAY + after), lat: 1, lon: 2 })
    const readings = readingsOf({ kind: "log", readings: [at(5_000), at(0), at(9_000)], lateMinutes: 0 })
    expect(readings.map(({ capturedAt }) => capturedAt - NOW)).toEqual([-9_000, -4_000, 0])
  })
})
