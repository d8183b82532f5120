import { Erasure } from "@place-access/domain/retention-choice"
import { RuleEvaluation } from "@place-access/domain/rules"
import { OsVisit, Stay } from "@place-access/domain/visits"
import { DeviceId, ImportId, PlaceId, type Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { CIRCLE, DAY, HOUR, INSIDE, MINUTE, NOON, OUTSIDE, time } from "../support/rules.js"

const at = (minutes: number) => time(NOON + minutes * MINUTE)
const stretch = (from: number, until: number) => ({ from: at(from), until: at(until) })
const erasure = (from: number, until: number, erasedAt = 0) => ({ ...stretch(from, until), erasedAt: at(erasedAt) })

const byFrom = (a: Erasure.Stretch, b: Erasure.Stretch) => a.from - b.from

describe("a stretch to delete [retention-choice-4]", () => {
  it.each([
    [{ from: NOON - HOUR, until: NOON }, undefined],
    [{ from: NOON - HOUR, until: NOON + 1 }, "until must not be in the future"],
    [{ from: NOON - HOUR, until: NOON - HOUR }, "until must be later than from"],
    [{ from: NOON - HOUR, until: NOON - HOUR - 1 }, "until must be later than from"],
    [{ from: NOON - 31 * DAY, until: NOON }, undefined],
    [{ from: NOON - 31 * DAY - 1, until: NOON }, "until must be at most 31 days later than from"]
  ])("%j: %s", ({ from, until }, expected) => {
    const fault = Erasure.fault({ from: time(from), until: time(until) }, time(NOON))
    expect(fault === undefined ? undefined : `${fault.field} ${fault.reason}`).toBe(expected)
  })

  it("becomes one with those that it touches, and keeps apart from others", () => {
    const before = [erasure(0, 10), erasure(20, 30), erasure(50, 60)]
    expect(Erasure.add(before, erasure(30, 40, 9))).toEqual([erasure(0, 10), erasure(20, 40, 9), erasure(50, 60)])
    expect(Erasure.add(before, erasure(10, 20, 9))).toEqual([erasure(0, 30, 9), erasure(50, 60)])
    expect(Erasure.add(before, erasure(-5, 70, 9))).toEqual([erasure(-5, 70, 9)])
    expect(Erasure.add(before, erasure(11, 19, 9))).toHaveLength(4)
  })

  it("keeps what an archive brought apart, and no two of them overlap [exports-10, imports-13]", () => {
    const importId = ImportId.make("imp_1")
    const brought = (from: number, until: number) => ({ ...erasure(from, until), importId })
    const before = [brought(0, 10), erasure(20, 30)]
    expect(Erasure.add(before, erasure(4, 6, 9))).toEqual([
      brought(0, 4),
      erasure(4, 6, 9),
      brought(6, 10),
      erasure(20, 30)
    ])
    expect(Erasure.add(before, erasure(-5, 20, 9))).toEqual([erasure(-5, 30, 9)])
    expect(Erasure.restored(before, brought(10, 40), false)).toEqual(
      [...before, brought(30, 40), brought(10, 20)].sort(byFrom)
    )
    expect(Erasure.restored(before, brought(2, 10), false)).toBeUndefined()
    expect(Erasure.restored(before, brought(12, 14), true)).toBeUndefined()
    expect(Erasure.merged([brought(0, 10), erasure(10, 20, 9), erasure(30, 40)])).toEqual([
      erasure(0, 20, 9),
      erasure(30, 40)
    ])
  })
})

describe("a visit report and a deleted stretch [retention-choice-4]", () => {
  const erasures = [stretch(10, 20)]
  const without = (arrival: number | null, departure: number | null) => {
    const report = {
      arrival: arrival === null ? null : at(arrival),
      departure: departure === null ? null : at(departure)
    }
    const kept = Erasure.withoutErased(report, erasures)
    const minutes = (moment: Timestamp.Timestamp | null) => (moment === null ? null : (moment - NOON) / MINUTE)
    return kept === undefined ? "nothing" : [minutes(kept.arrival), minutes(kept.departure)]
  }
  it.each([
    ["before", 0, 10, [0, 10]],
    ["into it", 0, 15, [0, 10]],
    ["beyond it", 0, 40, [0, 10]],
    ["open before it", 0, null, [0, null]],
    ["begins in it", 10, 40, "nothing"],
    ["open in it", 15, null, "nothing"],
    ["after", 20, 40, [20, 40]],
    ["a departure in it", null, 19, "nothing"],
    ["a departure after it", null, 20, [null, 20]]
  ] as const)("%s", (_, arrival, departure, expected) => {
    expect(without(arrival, departure)).toEqual(expected)
  })

  it("a visit that is reported piece by piece ends where the stretch begins, whatever departure comes later", () => {
    const report = { arrival: at(0), departure: null, ...INSIDE, accuracyM: 10 }
    const visitReports = {
      deviceId: DeviceId.make("dev_1"),
      heardAt: null,
      historyEndsAt: null,
      arrival: at(0),
      nextArrival: at(60),
      reports: [report],
      departures: [{ ...report, arrival: null, departure: at(40) }]
    }
    expect(OsVisit.decide(visitReports, erasures)).toMatchObject({ departure: at(10), isLeft: true })
    expect(OsVisit.decide(visitReports, [stretch(40, 50)])).toMatchObject({ departure: at(40), isLeft: true })
    expect(OsVisit.decide({ ...visitReports, departures: [] }, [stretch(60, 70)])).toMatchObject({
      departure: at(60),
      isLeft: false
    })
  })
})

describe("stays and deleted stretches [retention-choice-4]", () => {
  const ground: Stay.Ground = {
    placeId: PlaceId.make("plc_home"),
    shapes: [{ placeId: PlaceId.make("plc_home"), geometryVersion: 1, validFrom: null, circle: CIRCLE }],
    archivedAt: null
  }
  const stays = (
    seen: ReadonlyArray<readonly [number, typeof INSIDE]>,
    erasures: ReadonlyArray<Erasure.Stretch>,
    openSince: number | null = null
  ) =>
    Stay.derive(
      ground,
      { openSince: openSince === null ? null : at(openSince), heardAt: null },
      seen.map(([minutes, where]) => ({ capturedAt: at(minutes), ...where, accuracyM: 10 })),
      erasures
    ).map(({ arrival, departure }) => [
      (arrival - NOON) / MINUTE,
      departure === null ? null : (departure - NOON) / MINUTE
    ])

  it("a stay ends where the stretch begins, and another one begins with the first fix after it", () => {
    const seen = [
      [0, INSIDE],
      [9, INSIDE],
      [25, INSIDE],
      [40, OUTSIDE]
    ] as const
    expect(stays(seen, [])).toEqual([[0, 40]])
    expect(stays(seen, [stretch(10, 20)])).toEqual([
      [0, 10],
      [25, 40]
    ])
    expect(stays([[0, INSIDE]], [stretch(10, 20)])).toEqual([[0, 10]])
    expect(stays([[25, INSIDE]], [stretch(10, 20)])).toEqual([[25, null]])
    expect(stays([], [stretch(10, 20)], 0)).toEqual([[0, 10]])
    expect(stays([], [stretch(10, 20)], 20)).toEqual([[20, null]])
  })

  it("a stretch of a minute ends a stay, too: an absence of a minute does not", () => {
    const seen = [
      [0, INSIDE],
      [10, OUTSIDE],
      [11.5, INSIDE]
    ] as const
    expect(stays(seen, [])).toEqual([[0, null]])
    expect(stays(seen, [stretch(10.5, 11)])).toEqual([
      [0, 10],
      [11.5, null]
    ])
    expect(
      stays(
        [
          [0, INSIDE],
          [11, INSIDE]
        ],
        [stretch(10, 10.5)]
      )
    ).toEqual([
      [0, 10],
      [11, null]
    ])
  })
})

describe("what a rule remembers of a deleted stretch [retention-choice-4]", () => {
  const base = { dwellSpent: true, lastFiredAt: at(1), unsettled: null, basis: "1" } as const
  const inside = (since: number, asOf: number): RuleEvaluation.RuleMemory => ({
    ...base,
    side: "inside",
    since: at(since),
    asOf: at(asOf)
  })
  const outside = (asOf: number): RuleEvaluation.RuleMemory => ({
    ...base,
    side: "outside",
    since: null,
    asOf: at(asOf)
  })
  const gone = (asOf: number) => ({ ...RuleEvaluation.unseeded("1"), asOf: at(asOf), lastFiredAt: at(1) })

  it.each([
    ["outside since before, and silent since", outside(9), outside(9)],
    ["outside by a fix in it", outside(10), gone(10)],
    ["outside by a fix after it", outside(20), outside(20)],
    ["inside since before", inside(0, 9), gone(9)],
    ["inside through it", inside(0, 30), gone(30)],
    ["inside since a fix in it", inside(19, 30), gone(30)],
    ["inside since after it", inside(20, 30), inside(20, 30)],
    ["never seen", RuleEvaluation.unseeded("1"), RuleEvaluation.unseeded("1")]
  ])("%s", (_, before, after) => {
    expect(RuleEvaluation.without(stretch(10, 20), before)).toEqual(after)
  })
})
