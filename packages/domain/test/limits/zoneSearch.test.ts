import { Presence } from "@place-access/domain/answers"
import { Budget, ZoneQuestions } from "@place-access/domain/limits"
import { describe, expect, it } from "@effect/vitest"
import { type Answering, type Decision, medianErrorKm, strategies } from "../support/zoneSearch.js"

const PEOPLE = 32
/** Accuracies of readings in metres: a good one, a worse one, the worst that counts, and one that does not count. */
const ACCURACIES = [10, 100, ZoneQuestions.MAX_BAND_M, 1_000]

const verified: Answering = (circle, reading) => Presence.decideZone(circle, [reading], reading.capturedAt)

/** Decides about a question with the hourly budget alone, to show that the budget for a day is necessary. */
const hourAlone: Decision = (before, _, now) => {
  const spending = Budget.spend(ZoneQuestions.HOURLY, before.calls, now)
  return spending._tag === "Refused" ? spending : { _tag: "Allowed", questions: { calls: spending.calls, circles: [] } }
}

describe("a search for somebody who sits still in a town of 12 × 12 km", () => {
  it.each(
    ACCURACIES.flatMap((accuracyM) => Object.entries(strategies).map((strategy) => [accuracyM, ...strategy] as const))
  )(
    "whose readings have an accuracy of %i m: after a day it is no finer than 1 km (median): %s [M8]",
    (accuracyM, _, strategy) => {
      const service = { decide: ZoneQuestions.ask, answer: verified, accuracyM }
      expect(medianErrorKm(strategy, service, PEOPLE)).toBeGreaterThan(1)
    },
    120_000
  )

  it("without the day's budget the same search finds them to within 200 m [M8]", () => {
    const halves = strategies["halves with the largest circles"]
    const service = { decide: hourAlone, answer: verified, accuracyM: 10 }
    expect(medianErrorKm(halves, service, PEOPLE)).toBeLessThan(0.2)
  })
})
