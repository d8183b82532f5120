import type { Shape } from "@place-access/domain/places"
import { PlaceId } from "@place-access/domain/shared"
import { Stay } from "@place-access/domain/visits"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { travel } from "../support/geodesic.js"
import { at, CIRCLE, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"

const HOME = PlaceId.make("plc_home")
const ELSEWHERE = { ...travel(CIRCLE, 90, 1_000), radiusM: 150 }

const shape = (validFrom: number | null, circle: Shape.Shape["circle"], geometryVersion = 1): Shape.Shape => ({
  placeId: HOME,
  geometryVersion,
  validFrom: validFrom === null ? null : time(NOON + validFrom),
  circle
})

const ground = (overrides: Partial<Stay.Ground> = {}): Stay.Ground => ({
  placeId: HOME,
  shapes: [shape(null, CIRCLE)],
  archivedAt: null,
  ...overrides
})

type Sighting = readonly [
  after: number,
  where: { readonly lat: number; readonly lon: number },
  accuracyM?: number | null
]

const NOTHING_BEFORE = Stay.beforeOf(undefined, null)

/** The beginning and end of each stay, in milliseconds after noon. */
const stays = (seen: ReadonlyArray<Sighting>, on = ground(), openSince: number | null = null) =>
  Stay.derive(
    on,
    { openSince: openSince === null ? null : time(NOON + openSince), heardAt: null },
    seen.map(([after, where, accuracyM = 10]) => ({ capturedAt: time(NOON + after), ...where, accuracyM }))
  ).map(({ arrival, departure }) => [arrival - NOON, departure === null ? null : departure - NOON])

describe("stays derived from fixes [L10]", () => {
  it("last from the first decisive fix inside to the first decisive one outside [§4.5.7]", () => {
    const seen: ReadonlyArray<Sighting> = [
      [0, OUTSIDE],
      [1 * MINUTE, INSIDE],
      [2 * MINUTE, INSIDE],
      [3 * MINUTE, OUTSIDE],
      [5 * MINUTE, OUTSIDE],
      [6 * MINUTE, INSIDE],
      [7 * MINUTE, OUTSIDE]
    ]
    expect(stays(seen)).toEqual([
      [1 * MINUTE, 3 * MINUTE],
      [6 * MINUTE, 7 * MINUTE]
    ])
  })

  it.each([
    [
      2 * MINUTE,
      [
        [0, HOUR],
        [HOUR + 2 * MINUTE, null]
      ]
    ],
    [2 * MINUTE - 1, [[0, null]]],
    [1, [[0, null]]]
  ])(
    "an absence of 2 minutes ends one, a shorter one does not split it (amendment M15): %i ms [§4.5.7]",
    (absence, expected) => {
      const away = [OUTSIDE, at(0), OUTSIDE, OUTSIDE].map((where, index): Sighting => [
        HOUR + (index * absence) / 4,
        where,
        200
      ])
      expect(stays([[0, INSIDE], [HOUR, OUTSIDE], ...away, [HOUR + absence, INSIDE]])).toEqual(expected)
    }
  )

  it.each<[string, ReadonlyArray<number>, number, boolean]>([
    ["one reading, back before 10 minutes", [0], 10 * MINUTE - 1, true],
    ["one reading, back at 10 minutes", [0], 10 * MINUTE, false],
    ["two readings, less than 2 minutes apart", [0, 2 * MINUTE - 1], 9 * MINUTE, true],
    ["two readings, 2 minutes apart", [0, 2 * MINUTE], 9 * MINUTE, false],
    ["three readings within a minute", [0, 20_000, 40_000], 9 * MINUTE, false],
    ["three readings, back before 2 minutes", [0, 20_000, 40_000], 2 * MINUTE - 1, true]
  ])("a jump of one or two readings does not end a stay: %s [visits-10]", (_, outside, back, goesOn) => {
    const away = outside.map((after): Sighting => [HOUR + after, OUTSIDE])
    const expected = goesOn
      ? [[0, null]]
      : [
          [0, HOUR],
          [HOUR + back, null]
        ]
    expect(stays([[0, INSIDE], ...away, [HOUR + back, INSIDE]])).toEqual(expected)
    // A reading near the boundary of the circle does not decide on which side the person is, so it must not change the
    // result.
    expect(stays([[0, INSIDE], ...away, [HOUR + back - 1, at(151)], [HOUR + back, INSIDE]])).toEqual(expected)
  })

  it("many short absences split nothing, each is measured by itself; an archived place's stay goes on, too", () => {
    const seen = Array.from({ length: 20 }, (_, index): Sighting => [
      index * MINUTE,
      index % 2 === 0 ? INSIDE : OUTSIDE
    ])
    expect(stays(seen)).toEqual([[0, 19 * MINUTE]])
    expect(stays(seen, ground({ archivedAt: time(NOON + MINUTE) }))).toEqual([[0, 19 * MINUTE]])
  })

  it("a stay that began on another circle meanwhile stands: the first one is over", () => {
    const moved = ground({ shapes: [shape(null, CIRCLE), shape(10, ELSEWHERE, 2)] })
    expect(
      stays(
        [
          [0, INSIDE],
          [20, ELSEWHERE],
          [30, INSIDE]
        ],
        moved
      )
    ).toEqual([
      [0, 20],
      [20, 30]
    ])
  })

  it.each<[string, Sighting]>([
    ["50 m inside the edge", [1, at(100.01)]],
    ["50 m outside the edge", [1, at(199.99)]],
    ["outside, but less accurate than its distance", [1, at(1_000), 851]],
    ["inside, but less accurate than its distance", [1, at(0), 151]]
  ])("a fix within the band of the edge neither begins nor ends one: %s", (_, fix) => {
    expect(stays([fix])).toEqual([])
    expect(stays([[0, INSIDE], fix])).toEqual([[0, null]])
  })

  it("silence is bridged: a night without a fix is one stay, open until something came from outside [visits-3]", () => {
    expect(
      stays([
        [0, INSIDE],
        [9 * HOUR, INSIDE]
      ])
    ).toEqual([[0, null]])
    expect(
      stays([
        [0, INSIDE],
        [9 * HOUR, INSIDE],
        [10 * HOUR, OUTSIDE]
      ])
    ).toEqual([[0, 10 * HOUR]])
  })

  it("of one instant the first fix counts", () => {
    expect(
      stays([
        [0, INSIDE],
        [1, INSIDE, 5],
        [1, OUTSIDE, 50]
      ])
    ).toEqual([[0, null]])
    expect(
      stays([
        [0, INSIDE],
        [1, OUTSIDE, 5],
        [1, INSIDE, 50]
      ])
    ).toEqual([[0, 1]])
  })

  it("an open one goes on, on the circle that it began with", () => {
    expect(
      stays(
        [
          [1, INSIDE],
          [2, OUTSIDE]
        ],
        ground(),
        -5
      )
    ).toEqual([[-5, 2]])
    const moved = ground({ shapes: [shape(null, CIRCLE), shape(0, ELSEWHERE, 2)] })
    expect(
      stays(
        [
          [1, INSIDE],
          [2, at(400)]
        ],
        moved,
        -5
      )
    ).toEqual([[-5, 2]])
  })

  it("a place moved makes no stay from before at its new circle, and ends none; the fix that ends one may begin the next [visits-5]", () => {
    const moved = ground({ shapes: [shape(null, CIRCLE), shape(10, ELSEWHERE, 2)] })
    const seen: ReadonlyArray<Sighting> = [
      [0, ELSEWHERE],
      [5, INSIDE],
      [10, INSIDE],
      [15, INSIDE],
      [20, ELSEWHERE],
      [25, INSIDE],
      [30, INSIDE]
    ]
    expect(stays(seen, moved)).toEqual([
      [5, 20],
      [20, 25]
    ])
  })

  it("a place archived has no stay that begins after that; one that is open goes on [visits-5]", () => {
    const archived = ground({ archivedAt: time(NOON + 10) })
    expect(
      stays(
        [
          [9, INSIDE],
          [11, INSIDE],
          [12, OUTSIDE],
          [12 + 10 * MINUTE, INSIDE]
        ],
        archived
      )
    ).toEqual([[9, 12]])
    expect(stays([[10, INSIDE]], archived)).toEqual([[10, null]])
    expect(stays([[11, INSIDE]], archived)).toEqual([])
  })

  it.each([
    [0, 5 * MINUTE, true],
    [0, 5 * MINUTE - 1, false]
  ])("is told when it lasts 5 minutes, an open one by now: from %i to %i [visits-4]", (from, to, expected) => {
    const arrival = time(NOON + from)
    expect(Stay.isLongEnough({ arrival, departure: time(NOON + to) }, time(NOON + HOUR))).toBe(expected)
    expect(Stay.isLongEnough({ arrival, departure: null }, time(NOON + to))).toBe(expected)
  })
})

describe("a stay that ends in silence [visits-11]", () => {
  /**
   * A point that lies `metres` metres outside the band around the circle's boundary. In the band a reading does not
   * decide anything. The band is 50 m wide for readings with an accuracy of 10 m.
   */
  const beyond = (metres: number) => at(CIRCLE.radiusM + 50 + metres)
  const ends = (seen: ReadonlyArray<Sighting>, before: Partial<Stay.TimeBefore> = {}) =>
    Stay.derive(
      ground(),
      { ...NOTHING_BEFORE, ...before },
      seen.map(([after, where, accuracyM = 10]) => ({ capturedAt: time(NOON + after), ...where, accuracyM }))
    ).map(({ departure, heardUntil }) => [departure, heardUntil].map((moment) => moment && moment - NOON))

  it.each<[string, number, number, boolean]>([
    ["4 hours, and just over 2 km away", 4 * HOUR, 2_000.5, true],
    ["a millisecond less", 4 * HOUR - 1, 2_001, false],
    ["4 hours, and nearer than 2 km", 4 * HOUR, 1_999, false],
    ["16 hours, and 58 km away", 16 * HOUR, 58_000, true]
  ])("ends with the last reading before it: %s", (_, silence, metres, isSilent) => {
    const seen: ReadonlyArray<Sighting> = [
      [0, INSIDE],
      [HOUR, at(151)],
      [HOUR + silence, beyond(metres)]
    ]
    expect(ends(seen)).toEqual([[HOUR + silence, isSilent ? HOUR : null]])
  })

  it("the last reading may have been derived before, and a jump to far away and back changes nothing", () => {
    const away: Sighting = [5 * HOUR, beyond(9_000)]
    const before = { openSince: time(NOON), heardAt: time(NOON + HOUR) }
    expect(ends([away], before)).toEqual([[5 * HOUR, HOUR]])
    expect(ends([[HOUR + 1, INSIDE], away], before)).toEqual([[5 * HOUR, null]])
    expect(ends([away, [5 * HOUR + MINUTE, INSIDE]], before)).toEqual([[null, null]])
    expect(ends([away], { ...before, heardAt: null })).toEqual([[5 * HOUR, null]])
  })

  it("tells the last reading as the departure", () => {
    const stay = { departure: time(NOON + HOUR), heardUntil: time(NOON) }
    expect([Stay.departureOf(stay), Stay.departureOf({ ...stay, heardUntil: null })]).toEqual([NOON, NOON + HOUR])
    expect(Stay.departureOf({ departure: null, heardUntil: null })).toBeNull()
  })
})

describe("a stay and deleted stretches [retention-choice-4]", () => {
  const withErased = (
    seen: ReadonlyArray<Sighting>,
    stretches: ReadonlyArray<readonly [from: number, until: number]>,
    openSince: number | null = null
  ) =>
    Stay.derive(
      ground(),
      { openSince: openSince === null ? null : time(NOON + openSince), heardAt: null },
      seen.map(([after, where, accuracyM = 10]) => ({ capturedAt: time(NOON + after), ...where, accuracyM })),
      stretches.map(([from, until]) => ({ from: time(NOON + from), until: time(NOON + until) }))
    ).map(({ arrival, departure }) => [arrival - NOON, departure === null ? null : departure - NOON])

  it("ends at the first of them, and the next reading inside begins another", () => {
    const seen: ReadonlyArray<Sighting> = [
      [0, INSIDE],
      [HOUR, INSIDE]
    ]
    const stretches = [
      [10 * MINUTE, 20 * MINUTE],
      [30 * MINUTE, 40 * MINUTE]
    ] as const
    expect(withErased(seen, stretches)).toEqual([
      [0, 10 * MINUTE],
      [HOUR, null]
    ])
    expect(withErased([], stretches, 0)).toEqual([[0, 10 * MINUTE]])
  })

  it("is not ended by one from before it", () => {
    expect(withErased([[HOUR, INSIDE]], [[0, MINUTE]], 2 * MINUTE)).toEqual([[2 * MINUTE, null]])
  })

  const spanOf = ({ arrival, departure, heardUntil }: Stay.Stay) =>
    [arrival, departure, heardUntil].map((moment) => moment && moment - NOON)
  const FAR = at(9_000)

  it.each<[string, ReadonlyArray<Sighting>, number | null]>([
    ["the device was far away after it: the end stays uncertain", [[9 * HOUR, FAR]], HOUR],
    ["a silence of less than 4 hours", [[5 * HOUR - 1, FAR]], null],
    ["the device was inside after it", [[9 * HOUR, INSIDE]], null],
    ["nothing came after it yet", [], null]
  ])("in a silence, one does not make an unknown departure certain: %s [visits-11]", (_, after, heardUntil) => {
    const seen: ReadonlyArray<Sighting> = [[0, INSIDE], [HOUR, INSIDE], ...after]
    const stretches = [{ from: time(NOON + 3 * HOUR), until: time(NOON + 4 * HOUR) }]
    const fixes = seen.map(([moment, where]) => ({ capturedAt: time(NOON + moment), ...where, accuracyM: 10 }))
    const [first] = Stay.derive(ground(), NOTHING_BEFORE, fixes, stretches)
    expect(first === undefined ? undefined : spanOf(first)).toEqual([0, 3 * HOUR, heardUntil])
  })

  it("does not go on through one that lies between its end and a quick return", () => {
    const seen: ReadonlyArray<Sighting> = [
      [0, INSIDE],
      [10 * MINUTE, OUTSIDE],
      [11 * MINUTE, INSIDE]
    ]
    expect(withErased(seen, [])).toEqual([[0, null]])
    expect(withErased(seen, [[10 * MINUTE + 1, 10 * MINUTE + 2]])).toEqual([
      [0, 10 * MINUTE],
      [11 * MINUTE, null]
    ])
  })
})

describe("stays in pieces [visits-7]", () => {
  it("a stay that ended at the beginning of the piece goes on when the device comes back at once", () => {
    const known = [{ placeId: HOME, arrival: time(NOON), departure: time(NOON + HOUR), heardUntil: null }]
    const fixes = [
      { capturedAt: time(NOON + HOUR), ...OUTSIDE, accuracyM: 10 },
      { capturedAt: time(NOON + HOUR + MINUTE), ...INSIDE, accuracyM: 10 }
    ]
    const from = { from: time(NOON + HOUR), heardAt: time(NOON) }
    expect(Stay.goOn(ground(), known, from, fixes)).toEqual([{ ...known[0], departure: null }])
  })

  const DISTANCES = [0, 99, 151, 200.1, 201, 1_000, 2_201, 60_000]
  const GAPS = [
    1,
    1_000,
    MINUTE,
    2 * MINUTE - 1,
    2 * MINUTE,
    4 * MINUTE,
    10 * MINUTE - 1,
    10 * MINUTE,
    4 * HOUR - 1,
    4 * HOUR
  ]
  const walk = fc.array(fc.tuple(fc.constantFrom(...GAPS), fc.constantFrom(...DISTANCES), fc.boolean()), {
    maxLength: 30
  })

  it("any division of the readings gives the same stays", () => {
    fc.assert(
      fc.property(walk, fc.array(fc.nat(30), { maxLength: 4 }), (steps, cuts) => {
        let now = NOON
        const fixes = steps.map(([gap, metres]) => ({ capturedAt: time((now += gap)), ...at(metres), accuracyM: 10 }))
        // In some gaps between two readings, the user has deleted the second half of the gap from the history.
        const erasures = steps.flatMap(([gap, , isErased], index) => {
          const until = fixes[index]?.capturedAt
          const from = until === undefined ? undefined : time(until - Math.floor(gap / 2))
          return isErased && gap > 1 && from !== undefined && until !== undefined ? [{ from, until }] : []
        })
        const whole = Stay.derive(ground(), NOTHING_BEFORE, fixes, erasures)
        const ends = [...new Set([...cuts, steps.length])].sort((a, b) => a - b)
        const inPieces = ends.reduce<{ readonly stays: ReadonlyArray<Stay.Stay>; readonly done: number }>(
          ({ done, stays: known }, end) => {
            const next = fixes[done]
            if (next === undefined || end <= done) return { done, stays: known }
            const from = time(next.capturedAt - Stay.FINAL_AFTER)
            const heardAt = fixes.findLast(({ capturedAt }) => capturedAt < from)?.capturedAt ?? null
            const piece = fixes.slice(0, end).filter(({ capturedAt }) => capturedAt >= from)
            return { done: end, stays: Stay.goOn(ground(), known, { from, heardAt }, piece, erasures) }
          },
          { done: 0, stays: [] }
        )
        expect(inPieces.stays).toEqual(whole)
      }),
      { numRuns: 3_000 }
    )
  })
})
