import { Fix } from "@place-access/domain/fixes"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { MINUTE, NOON, time } from "../support/rules.js"

const reading = (overrides: Partial<Fix.Reading> = {}): Fix.Reading => ({
  capturedAt: time(NOON),
  lat: 52.37,
  lon: 4.89,
  ...overrides
})

const judge = (overrides: Partial<Fix.Reading>) => Fix.judge(reading(overrides), time(NOON))

const outcome = (overrides: Partial<Fix.Reading>): string => {
  const judged = judge(overrides)
  return judged._tag === "Fix" ? "fix" : judged.reason
}

const fixOf = (overrides: Partial<Fix.Reading>): Fix.Fix => {
  const judged = judge(overrides)
  if (judged._tag === "Quarantined") throw new Error(`quarantined: ${judged.reason}`)
  return judged.fix
}

describe("what becomes of a reading [L3]", () => {
  it.each([
    [{ lat: 90, lon: 180 }, "fix"],
    [{ lat: -90, lon: -180 }, "fix"],
    [{ lat: 90.000_000_1 }, "out_of_range"],
    [{ lat: -90.000_000_1 }, "out_of_range"],
    [{ lon: 180.000_000_1 }, "out_of_range"],
    [{ lon: -180.000_000_1 }, "out_of_range"],
    [{ lat: Number.NaN }, "unreadable"],
    [{ lon: Number.NaN }, "unreadable"],
    [{ lat: Number.POSITIVE_INFINITY }, "out_of_range"],
    [{ lat: 0, lon: 0 }, "null_island"],
    [{ lat: -0, lon: 0 }, "null_island"],
    [{ lat: 4e-8, lon: -4e-8 }, "null_island"],
    [{ lat: 0, lon: 1e-7 }, "fix"],
    [{ lat: 0, lon: 4.89 }, "fix"],
    [{ lat: 52.37, lon: 0 }, "fix"]
  ])("at %j: %s", (where, expected) => {
    expect(outcome(where)).toBe(expected)
  })

  it.each([
    [NOON + 5 * MINUTE, "fix"],
    [NOON + 5 * MINUTE + 1, "future"],
    [Date.UTC(2010, 0, 1), "fix"],
    [Date.UTC(2010, 0, 1) - 1, "too_old"],
    [0, "unreadable"],
    [-1, "too_old"]
  ])("captured at %i, received at noon: %s", (capturedAt, expected) => {
    expect(outcome({ capturedAt: time(capturedAt) })).toBe(expected)
  })

  it.each([undefined, null, 0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    "an accuracy of %s is unknown",
    (accuracyM) => {
      expect(fixOf({ accuracyM }).accuracyM).toBeNull()
    }
  )

  it("any other accuracy stays as it is", () => {
    for (const accuracyM of [0.001, 50, 65_000]) expect(fixOf({ accuracyM }).accuracyM).toBe(accuracyM)
  })

  it("-1 says that speed and course are not known; altitudes may be negative", () => {
    expect(fixOf({ speedMps: -1, courseDeg: -1, altitudeM: -3 })).toMatchObject({
      speedMps: null,
      courseDeg: null,
      altitudeM: -3
    })
    expect(fixOf({ speedMps: 0, courseDeg: 0 })).toMatchObject({ speedMps: 0, courseDeg: 0 })
    expect(fixOf({ altitudeM: Number.NaN }).altitudeM).toBeNull()
  })

  it("what is put aside stays exactly as it was sent", () => {
    const sent = reading({ lat: 91, accuracyM: -7, speedMps: Number.NaN })
    expect(Fix.judge(sent, time(NOON))).toEqual({ _tag: "Quarantined", reading: sent, reason: "out_of_range" })
  })
})

describe("one reading, one fix [L4]", () => {
  it("coordinates are kept to 1e-7 degrees, and -0 is 0", () => {
    expect(fixOf({ lat: 52.123_456_78, lon: -4.123_456_74 })).toMatchObject({ lat: 52.123_456_8, lon: -4.123_456_7 })
    expect(Object.is(fixOf({ lat: -0 }).lat, 0)).toBe(true)
    expect(Object.is(fixOf({ lat: -1e-9 }).lat, 0)).toBe(true)
  })

  it("rounding again changes nothing, so that a fix read back has the key it was stored with", () => {
    fc.assert(
      fc.property(fc.double({ min: -180, max: 180, noNaN: true }), (degrees) => {
        expect(Fix.toGrid(Fix.toGrid(degrees))).toBe(Fix.toGrid(degrees))
        expect(Math.abs(Fix.toGrid(degrees) - degrees)).toBeLessThanOrEqual(5.1e-8)
      })
    )
  })

  it("the key is time and place: what else a reading says does not make another fix", () => {
    expect(Fix.key(fixOf({ accuracyM: 5 }))).toBe(Fix.key(fixOf({ accuracyM: 500, speedMps: 3 })))
    const others = [{ capturedAt: time(NOON - 1) }, { lat: 52.370_000_1 }, { lon: 4.889_999_9 }]
    expect(new Set([{}, ...others].map((other) => Fix.key(fixOf(other)))).size).toBe(4)
  })

  it("a reading that was put aside has a key of all that it said", () => {
    const [first, second] = [reading({ lat: 91 }), reading({ lat: 91, accuracyM: 5 })]
    expect(Fix.readingKey(first)).toBe(Fix.readingKey({ ...first, accuracyM: null }))
    expect(Fix.readingKey(first)).not.toBe(Fix.readingKey(second))
  })
})

describe("the order of evaluation [L4]", () => {
  const some: fc.Arbitrary<Fix.Fix> = fc
    .record({
      after: fc.integer({ min: 0, max: 3 }),
      accuracyM: fc.constantFrom(null, 5, 50),
      lat: fc.constantFrom(1, 2),
      lon: fc.constantFrom(1, 2)
    })
    .map(({ after, ...fix }) => ({
      ...fix,
      capturedAt: time(NOON + after),
      altitudeM: null,
      speedMps: null,
      courseDeg: null
    }))
  const shuffled = fc
    .array(some, { maxLength: 20 })
    .chain((fixes) => fc.tuple(fc.constant(fixes), fc.shuffledSubarray(fixes, { minLength: fixes.length })))

  it("is the same for every shuffle of an upload, each fix once", () => {
    fc.assert(
      fc.property(shuffled, ([fixes, second]) => {
        const ordered = Fix.sortedAndDistinct(fixes)
        expect(Fix.sortedAndDistinct(second)).toEqual(ordered)
        expect(new Set(ordered.map(Fix.key)).size).toBe(ordered.length)
        expect(ordered.map(Fix.key).sort()).toEqual([...new Set(fixes.map(Fix.key))].sort())
      })
    )
  })

  it("is by capture time; of one instant the more accurate first, unknown last", () => {
    const at = (after: number, accuracyM: number | null) =>
      fixOf({ capturedAt: time(NOON + after), accuracyM, lat: after + (accuracyM ?? 0) })
    const ordered = [at(-2, null), at(-1, 5), at(-1, 50), at(-1, null), at(0, 5)]
    expect(Fix.sortedAndDistinct(ordered.toReversed())).toEqual(ordered)
  })
})
