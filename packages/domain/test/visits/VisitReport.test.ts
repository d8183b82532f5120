import { VisitReport } from "@place-access/domain/fixes"
import { describe, expect, it } from "@effect/vitest"
import { MINUTE, NOON, time } from "../support/rules.js"

const visit = (overrides: Partial<VisitReport.VisitReport> = {}): VisitReport.VisitReport => ({
  arrival: time(NOON - 60 * MINUTE),
  departure: time(NOON),
  lat: 52.37,
  lon: 4.89,
  accuracyM: 30,
  ...overrides
})

const outcome = (overrides: Partial<VisitReport.VisitReport>): string => {
  const judged = VisitReport.judge(visit(overrides), time(NOON))
  return judged._tag === "Visit" ? "visit" : judged.reason
}

describe("what becomes of a visit report [L3, L10]", () => {
  it.each([
    ["arrival and departure", {}, "visit"],
    ["arrival alone", { departure: null }, "visit"],
    ["departure alone", { arrival: null }, "visit"],
    ["neither", { arrival: null, departure: null }, "no_stay"],
    ["left as it arrived", { arrival: time(NOON) }, "visit"],
    ["left before it arrived", { arrival: time(NOON + 1) }, "no_stay"],
    ["a departure 5 minutes ahead", { departure: time(NOON + 5 * MINUTE) }, "visit"],
    ["a departure further ahead", { departure: time(NOON + 5 * MINUTE + 1) }, "future"],
    ["an arrival before 2010", { arrival: time(Date.UTC(2009, 11, 31)) }, "too_old"],
    ["beyond the pole", { lat: 91 }, "out_of_range"],
    ["at (0, 0)", { lat: 0, lon: 0 }, "null_island"]
  ])("%s: %s %s", (_, overrides, expected) => {
    expect(outcome(overrides)).toBe(expected)
  })

  it("is kept to 1e-7 degrees, with an accuracy that says something or none", () => {
    const judged = VisitReport.judge(visit({ lat: 52.123_456_78, accuracyM: -1 }), time(NOON))
    expect(judged).toMatchObject({ _tag: "Visit", visit: { lat: 52.123_456_8, accuracyM: null } })
  })

  it("its key tells open, closed and half-known stays apart", () => {
    const reports = [visit(), visit({ departure: null }), visit({ arrival: null }), visit({ lat: 1 })]
    expect(new Set(reports.map(VisitReport.key)).size).toBe(4)
    expect(VisitReport.key(visit({ accuracyM: null }))).toBe(VisitReport.key(visit()))
  })
})
