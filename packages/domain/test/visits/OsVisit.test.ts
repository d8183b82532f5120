import { DeviceId, PlaceId } from "@place-access/domain/shared"
import { OsVisit } from "@place-access/domain/visits"
import { type VisitReport } from "@place-access/domain/fixes"
import { describe, expect, it } from "@effect/vitest"
import { tell } from "../../testing/memory/visits/tell.js"
import { at, CIRCLE, NOON, time } from "../support/rules.js"

const PHONE = { id: DeviceId.make("dev_1"), heardAt: null, historyEndsAt: null }

type ReportedVisit = readonly [
  arrival: number | null,
  departure: number | null,
  more?: Partial<VisitReport.VisitReport>
]

const report = ([arrival, departure, more]: ReportedVisit): VisitReport.VisitReport => ({
  arrival: arrival === null ? null : time(NOON + arrival),
  departure: departure === null ? null : time(NOON + departure),
  ...at(0),
  accuracyM: 30,
  ...more
})

/** The beginning and the end of each visit, in milliseconds after noon. */
const visits = (...reports: ReadonlyArray<ReportedVisit>) =>
  tell(PHONE, reports.map(report))
    .flatMap((one) => OsVisit.decide(one) ?? [])
    .map(({ arrival, departure }) => [arrival - NOON, departure === null ? null : departure - NOON])

const AWAY = at(5_000)

describe("visits that a phone tells [L10]", () => {
  it("an arrival opens one; the same arrival with a departure closes it in place [§4.5.7]", () => {
    expect(visits([0, null])).toEqual([[0, null]])
    expect(visits([0, null], [0, 10])).toEqual([[0, 10]])
  })

  it("a departure alone closes the one that is open there, whichever came first [visits-1]", () => {
    expect(visits([0, null], [null, 10])).toEqual([[0, 10]])
    expect(visits([null, 10], [0, null])).toEqual([[0, 10]])
    expect(visits([0, null], [null, 0])).toEqual([[0, 0]])
  })

  it("a departure alone from elsewhere, or before every arrival, is held [visits-1]", () => {
    expect(visits([0, null], [null, 10, AWAY])).toEqual([[0, null]])
    expect(visits([null, 10])).toEqual([])
    expect(visits([null, 10], [11, null])).toEqual([[11, null]])
  })

  it.each<[string, Partial<VisitReport.VisitReport>, number | null]>([
    ["200 m", at(199.9), 10],
    ["more than 200 m", at(200.1), null],
    ["within what both may be wrong by", { ...at(329.9), accuracyM: 300 }, 10],
    ["beyond what both may be wrong by", { ...at(330.1), accuracyM: 300 }, null]
  ])("the same stop is %s away", (_, where, departure) => {
    expect(visits([0, null], [null, 10, where])).toEqual([[0, departure]])
  })

  it("the next arrival closes one that is open, wherever it is", () => {
    expect(visits([0, null], [20, null, AWAY])).toEqual([
      [0, 20],
      [20, null]
    ])
    expect(visits([0, null], [null, 10], [20, null, AWAY], [null, 30])).toEqual([
      [0, 10],
      [20, null]
    ])
  })

  it("in an imported file the next arrival closes a visit, and the end of the file the last one [visits-1]", () => {
    const file = { ...PHONE, historyEndsAt: time(NOON + 50) }
    const told = tell(file, [report([0, null]), report([20, null, AWAY])]).flatMap((one) => OsVisit.decide(one) ?? [])
    expect(told.map(({ arrival, departure }) => [arrival, departure])).toEqual([
      [time(NOON), time(NOON + 20)],
      [time(NOON + 20), time(NOON + 50)]
    ])
  })

  it("a departure told with its arrival is the phone's word; of several the latest", () => {
    expect(visits([0, 10], [null, 15], [0, 12])).toEqual([[0, 12]])
    expect(visits([0, 30], [20, null, AWAY])).toEqual([
      [0, 30],
      [20, null]
    ])
    expect(visits([0, null], [null, 15], [null, 12])).toEqual([[0, 15]])
  })

  it("is where its most accurate report says", () => {
    const [visit] = tell(
      PHONE,
      [
        [0, null, { ...AWAY, accuracyM: 31 }] as const,
        [0, 10] as const,
        [0, 20, { ...AWAY, accuracyM: null }] as const
      ].map(report)
    )
    expect(visit === undefined ? undefined : OsVisit.decide(visit)).toMatchObject({ ...at(0), accuracyM: 30 })
  })
})

describe("reports of one arrival", () => {
  const decided = (...reports: ReadonlyArray<ReportedVisit>) => {
    const [first] = tell(PHONE, reports.map(report))
    return first === undefined ? undefined : OsVisit.decide(first)
  }

  it("of equally accurate ones the southernmost counts, then the westernmost, in whatever order they came", () => {
    const [north, east, west] = [
      { lat: 52.4, lon: 4 },
      { lat: 52.3, lon: 5 },
      { lat: 52.3, lon: 4.5 }
    ] as const
    for (const order of [
      [north, east, west],
      [west, east, north],
      [east, north, west]
    ]) {
      expect(decided(...order.map((point, index) => [0, index + 1, point] as const))).toMatchObject(west)
    }
  })

  it("an empty list of reports describes no visit", () => {
    const [first] = tell(PHONE, [report([0, null])])
    expect(OsVisit.decide({ ...first!, reports: [] })).toBeUndefined()
  })
})

const candidate = (
  id: string,
  overrides: Partial<OsVisit.VisitCandidate> = {},
  circle = CIRCLE
): OsVisit.VisitCandidate => ({
  placeId: PlaceId.make(id),
  shapes: [{ placeId: PlaceId.make(id), geometryVersion: 1, validFrom: null, circle }],
  archivedAt: null,
  since: null,
  ...overrides
})

describe("the place of a visit that a phone told", () => {
  const visit = (overrides: Partial<OsVisit.OsVisit> = {}): OsVisit.OsVisit => ({
    deviceId: PHONE.id,
    arrival: time(NOON),
    departure: null,
    ...at(0),
    accuracyM: 30,
    isLeft: false,
    ...overrides
  })
  const placeOf = (candidates: ReadonlyArray<OsVisit.VisitCandidate>, overrides?: Partial<OsVisit.OsVisit>) =>
    OsVisit.placeOf(visit(overrides), candidates)

  it("of several the nearest centre, then the smallest, then by id [M15]", () => {
    const wide = candidate("plc_0", {}, { ...CIRCLE, radiusM: 300 })
    const aside = candidate("plc_1", {}, { ...at(20), radiusM: 150 })
    expect(placeOf([wide, aside])).toBe("plc_0")
    expect(placeOf([wide, aside], at(11))).toBe("plc_1")
    expect(placeOf([wide, aside, candidate("plc_3"), candidate("plc_2")])).toBe("plc_2")
    expect(placeOf([wide], at(249.9))).toBe("plc_0")
    expect(placeOf([wide], at(250.1))).toBeUndefined()
    expect(placeOf([])).toBeUndefined()
  })

  it("one from before a place was shared is at another that was, or nowhere [visits-2]", () => {
    const wide = candidate("plc_0", {}, { ...CIRCLE, radiusM: 300 })
    expect(placeOf([wide, candidate("plc_1", { since: time(NOON) })])).toBe("plc_1")
    expect(placeOf([wide, candidate("plc_1", { since: time(NOON + 1) })])).toBe("plc_0")
  })

  it("none at a place that was archived before it began", () => {
    expect(placeOf([candidate("plc_1", { archivedAt: time(NOON - 1) })])).toBeUndefined()
    expect(placeOf([candidate("plc_1", { archivedAt: time(NOON) })])).toBe("plc_1")
  })

  it("by the circle of then: a place that was moved there later does not count [visits-2]", () => {
    const here = { placeId: PlaceId.make("plc_1"), geometryVersion: 1, validFrom: null, circle: CIRCLE }
    const moved = (validFrom: number) => [
      here,
      { ...here, validFrom: time(NOON + validFrom), circle: { ...AWAY, radiusM: 150 } }
    ]
    expect(placeOf([candidate("plc_1", { shapes: moved(1) })])).toBe("plc_1")
    expect(placeOf([candidate("plc_1", { shapes: moved(0) })])).toBeUndefined()
    expect(placeOf([candidate("plc_1", { shapes: moved(0) })], AWAY)).toBe("plc_1")
  })

  it.each([
    [150, 0, 149, true],
    [150, 0, 151, false],
    [150, 99.9, 10, true],
    [150, 100.1, 10, false],
    [150, 29.9, 120, true],
    [150, 30.1, 120, false],
    [1_000, 899.9, 100, true],
    [1_000, 900.1, 100, false]
  ])(
    "is judged by its accuracy like a fix: radius %i m, %d m from the centre, accuracy %i m [§4.5.7]",
    (radiusM, metres, accuracyM, expected) => {
      const here = candidate("plc_1", {}, { ...CIRCLE, radiusM })
      expect(placeOf([here], { ...at(metres), accuracyM }) !== undefined).toBe(expected)
    }
  )
})
