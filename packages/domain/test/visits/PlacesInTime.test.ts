import { Geometry } from "@place-access/domain/places"
import { DeviceId, PlaceId } from "@place-access/domain/shared"
import type { OsVisit } from "@place-access/domain/visits"
import { describe, expect, it } from "@effect/vitest"
import * as PlacesInTime from "../../src/visits/PlacesInTime.js"
import { at, CIRCLE, MINUTE, NOON, time } from "../support/rules.js"

const circleAt = (metres: number, radiusM = CIRCLE.radiusM): Geometry.Circle => ({ ...at(metres), radiusM })

const candidate = (id: string, ...circles: ReadonlyArray<Geometry.Circle>): OsVisit.VisitCandidate => ({
  placeId: PlaceId.make(id),
  shapes: circles.map((circle, index) => ({
    placeId: PlaceId.make(id),
    geometryVersion: index + 1,
    validFrom: index === 0 ? null : time(NOON + index * MINUTE),
    circle
  })),
  archivedAt: null,
  since: null
})

const stay = (
  id: string,
  [arrival, departure]: readonly [number, number | null],
  {
    circle = CIRCLE,
    device = "dev_1",
    median = null
  }: {
    readonly circle?: Geometry.Circle
    readonly device?: string
    readonly median?: Geometry.Point | null
  } = {}
): PlacesInTime.Located => ({
  deviceId: DeviceId.make(device),
  placeId: PlaceId.make(id),
  arrival: time(NOON + arrival),
  departure: departure === null ? null : time(NOON + departure),
  isUncertain: false,
  circle,
  median
})

describe("the places beside a stay [M15]", () => {
  const near = (stays: ReadonlyArray<PlacesInTime.Located>, ...places: ReadonlyArray<OsVisit.VisitCandidate>) =>
    PlacesInTime.neighbours(stays, places)

  it("are those whose circles overlap the circle of the stay; a stay at an unknown place has none", () => {
    const places = [candidate("a", circleAt(0)), candidate("b", circleAt(200)), candidate("c", circleAt(5_000))]
    const stays = ["a", "b", "c", "a", "d"].map((id) => stay(id, [0, 9]))
    expect(near(stays, ...places)).toEqual([["b"], ["a"], [], ["b"], []])
  })

  it("are found by the circle of the stay's arrival and by every circle of the others; circles that only touch do not count", () => {
    const moved = candidate("b", circleAt(5_000), circleAt(250))
    const stays = [stay("a", [0, 9]), stay("b", [0, 9]), stay("b", [MINUTE, null])]
    expect(near(stays, candidate("a", circleAt(0)), moved)).toEqual([["b"], [], ["a"]])
    const apartM = Geometry.distanceM(at(0), at(300))
    const touching = [candidate("a", circleAt(0, apartM)), candidate("b", circleAt(300, 0))]
    expect(near([stay("a", [0, 9])], ...touching)).toEqual([[]])
  })
})

describe("two stays of one phone at places that overlap [M15]", () => {
  it("do not overlap in time when one begins as the other ends", () => {
    expect(PlacesInTime.overlap(stay("a", [0, 5]), stay("b", [5, 9]))).toBe(false)
    expect(PlacesInTime.overlap(stay("b", [5, 9]), stay("a", [0, 5]))).toBe(false)
    expect(PlacesInTime.overlap(stay("a", [0, 5]), stay("b", [4, null]))).toBe(true)
    expect(PlacesInTime.overlap(stay("b", [4, null]), stay("a", [0, 5]))).toBe(true)
  })

  it("the earlier ends where the first later one begins that is elsewhere, open or not", () => {
    const elsewhere = { circle: circleAt(200), median: at(200) }
    const later = [stay("b", [7, 9], elsewhere), stay("b", [5, 6], elsewhere), stay("b", [6, 7], elsewhere)]
    expect(PlacesInTime.endOf(stay("a", [0, null]), later)).toBe(NOON + 5)
    expect(PlacesInTime.endOf(stay("a", [0, 20]), later)).toBe(NOON + 5)
    const unlocated = stay("b", [5, 6], { circle: circleAt(200) })
    expect(PlacesInTime.endOf(stay("a", [0, null]), [unlocated])).toBeNull()
    const here = stay("b", [5, 6], { circle: circleAt(200), median: at(0) })
    expect(PlacesInTime.endOf(stay("a", [0, 20]), [here])).toBe(NOON + 20)
    expect(PlacesInTime.endOf(stay("a", [5, 20]), later.slice(1, 2))).toBe(NOON + 20)
  })

  /**
   * Two stays in the same hour. The middle of the fixes of both stays lies `metres` metres from the centre of the first
   * stay's circle.
   */
  const both = (metres: number, second: Geometry.Circle, id = "b") =>
    [
      stay("a", [0, 60], { median: at(metres) }),
      stay(id, [0, 60], { circle: second, device: "dev_2", median: at(metres) })
    ] as const

  it("is listed at the place whose centre is nearer", () => {
    const [first, second] = both(60, circleAt(100))
    expect(PlacesInTime.isShownElsewhere(first, [second])).toBe(true)
    expect(PlacesInTime.isShownElsewhere(second, [first])).toBe(false)
  })

  it("of equally near ones of the smaller circle, then of the smaller id; distances count in whole centimetres", () => {
    for (const metres of [0, 0.004]) {
      const [first, smaller] = both(metres, circleAt(0, 100))
      expect(PlacesInTime.isShownElsewhere(first, [smaller])).toBe(true)
      expect(PlacesInTime.isShownElsewhere(smaller, [first])).toBe(false)
    }
    const [a, b] = both(10, CIRCLE)
    expect(PlacesInTime.isShownElsewhere(b, [a])).toBe(true)
    expect(PlacesInTime.isShownElsewhere(a, [b])).toBe(false)
  })

  it("is listed at the smaller of two circles whose centres are at most 10 m apart, whichever median is nearer", () => {
    const inner = (metres: number, apartM: number) =>
      stay("b", [5, 55], { circle: circleAt(apartM, 100), median: at(metres) })
    const outer = stay("a", [0, 60], { circle: circleAt(0, 1_000), median: at(3) })
    for (const apartM of [0, 9.9]) {
      expect(PlacesInTime.isShownElsewhere(outer, [inner(30, apartM)])).toBe(true)
      expect(PlacesInTime.isShownElsewhere(inner(30, apartM), [outer])).toBe(false)
    }
    expect(PlacesInTime.isShownElsewhere(inner(30, 10.1), [outer])).toBe(true)
    expect(PlacesInTime.isShownElsewhere(outer, [inner(30, 10.1)])).toBe(false)
  })

  it("of three that hide each other in a ring, none is left out; each two of them are one", () => {
    const home = stay("a", [0, 60], { circle: circleAt(0, 100), median: at(9) })
    const area = stay("b", [0, 60], { circle: circleAt(0, 1_000), median: at(7) })
    const cafe = stay("c", [0, 60], { circle: circleAt(20, 100), median: at(12) })
    const shown = (...stays: ReadonlyArray<PlacesInTime.Located>) =>
      stays.filter(
        (one) =>
          !PlacesInTime.isShownElsewhere(
            one,
            stays.filter((other) => other !== one)
          )
      )
    expect(shown(home, area)).toEqual([home])
    expect(shown(area, cafe)).toEqual([area])
    expect(shown(cafe, home)).toEqual([cafe])
    expect(shown(home, area, cafe)).toEqual([home, area, cafe])
  })

  it("of one place for two phones: neither hides the other", () => {
    const [one, other] = both(10, CIRCLE, "a")
    expect(PlacesInTime.isShownElsewhere(one, [other])).toBe(false)
    expect(PlacesInTime.isShownElsewhere(other, [one])).toBe(false)
  })

  it("is listed here when the other is of another time, has no fixes, or does not contain this one's position", () => {
    const [first, second] = both(60, circleAt(100))
    const later = { ...second, arrival: time(NOON + 60), departure: null }
    expect(PlacesInTime.isShownElsewhere(first, [later])).toBe(false)
    expect(PlacesInTime.isShownElsewhere(first, [{ ...second, median: null }])).toBe(false)
    expect(PlacesInTime.isShownElsewhere({ ...first, median: null }, [second])).toBe(false)
    const radiusM = Geometry.distanceM(at(100), at(60))
    expect(PlacesInTime.isShownElsewhere(first, [{ ...second, circle: circleAt(100, radiusM) }])).toBe(true)
    expect(PlacesInTime.isShownElsewhere(first, [{ ...second, circle: circleAt(100, radiusM - 0.01) }])).toBe(false)
  })
})
