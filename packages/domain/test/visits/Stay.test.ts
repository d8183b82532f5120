import type { Shape } from "@place-access/domain/places"
import { PlaceId } from "@place-access/domain/shared"
import { Stay } from "@place-access/domain/visits"
import { describe, expect, it } from "@effect/vitest"
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

/** The beginning and end of each stay, after noon. */
const stays = (seen: ReadonlyArray<Sighting>, on = ground(), openSince: number | null = null) =>
  Stay.derive(
    on,
    openSince === null ? null : time(NOON + openSince),
    seen.map(([after, where, accuracyM = 10]) => ({ capturedAt: time(NOON + after), ...where, accuracyM }))
  ).map(({ arrival, departure }) => [arrival - NOON, departure === null ? null : departure - NOON])

describe("stays derived from fixes [L10]", () => {
  it("last from the first decisive fix inside to the first decisive one outside [§4.5.7]", () => {
    const seen: ReadonlyArray<Sighting> = [
      [0, OUTSIDE],
      [1 * MINUTE, INSIDE],
      [2 * MINUTE, INSIDE],
      [3 * MINUTE, OUTSIDE],
      [4 * MINUTE, OUTSIDE],
      [5 * MINUTE, INSIDE],
      [6 * MINUTE, OUTSIDE]
    ]
    expect(stays(seen)).toEqual([
      [1 * MINUTE, 3 * MINUTE],
      [5 * MINUTE, 6 * MINUTE]
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
      const away = [OUTSIDE, at(0), OUTSIDE].map((where, index): Sighting => [HOUR + (index * absence) / 3, where, 200])
      expect(stays([[0, INSIDE], [HOUR, OUTSIDE], ...away, [HOUR + absence, INSIDE]])).toEqual(expected)
    }
  )

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
          [12 + 2 * MINUTE, INSIDE]
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
