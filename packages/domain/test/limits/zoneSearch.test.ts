import { Budget, ZoneQuestions } from "@place-access/domain/limits"
import { describe, expect, it } from "@effect/vitest"
import { type Decision, medianErrorKm, strategies } from "../support/zoneSearch.js"

const PEOPLE = 32

/** Decides about a question with the hourly budget alone, to show that the budget for a day is necessary. */
const hourAlone: Decision = (before, _, now) => {
  const spending = Budget.spend(ZoneQuestions.HOURLY, before.calls, now)
  return spending._tag === "Refused" ? spending : { _tag: "Allowed", questions: { calls: spending.calls, circles: [] } }
}

describe("a search for somebody who sits still in a town of 12 × 12 km", () => {
  it.each(Object.entries(strategies))(
    "after a day it is no finer than 1 km (median): %s [M8]",
    (_, strategy) => {
      expect(medianErrorKm(strategy, ZoneQuestions.ask, PEOPLE)).toBeGreaterThan(1)
    },
    120_000
  )

  it("without the day's budget the same search finds them to within 200 m [M8]", () => {
    const halves = strategies["halves with the largest circles"]
    expect(medianErrorKm(halves, hourAlone, PEOPLE)).toBeLessThan(0.2)
  })
})
