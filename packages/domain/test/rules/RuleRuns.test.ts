import { type RecentEvaluations, type Rule, RuleEvaluation, RuleRuns } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

const TYPES: ReadonlyArray<Rule.RuleType> = ["enter", "exit", "dwell"]
const HOME = { lat: 52.37, lon: 4.89, radiusM: 150 }
const at = (minute: number) => Timestamp.make(minute * Timestamp.MINUTE)

const evaluation = (minute: number, outcome: RuleEvaluation.RuleOutcome): RecentEvaluations.Evaluation => ({
  capturedAt: at(minute),
  receivedAt: at(minute),
  outcome,
  eventId: null
})

/** Evaluates readings as an upload does, and keeps on which side each one was. */
const lived = (type: Rule.RuleType, readings: ReadonlyArray<readonly [minute: number, metres: number]>) => {
  let state = RuleEvaluation.unseeded("basis")
  const window = { from: null, until: null }
  return readings.map(([minute, metres]) => {
    const fix = { capturedAt: at(minute), lat: HOME.lat + metres / 111_320, lon: HOME.lon, accuracyM: 10 }
    const dwellMinutes = type === "dwell" ? 10 : null
    const question = { type, circle: HOME, dwellMinutes, settleS: null, silenceS: null, window, firesFrom: null }
    const step = RuleEvaluation.step(question, state, fix, fix.capturedAt)
    state = step.state
    return { evaluation: evaluation(minute, step.outcome), side: state.side }
  })
}

describe("the last evaluations of a rule as a bar [rules-12]", () => {
  it("never shows a side on which the person was not, and shows both once an arrival or departure rule saw a crossing", () => {
    const reading = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 148, 1_000))
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fc.array(reading, { maxLength: 20 }), (type, steps) => {
        let minute = 0
        const life = lived(
          type,
          steps.map(([gap, metres]) => [(minute += gap), metres] as const)
        )
        const runs = RuleRuns.sides(
          type,
          life.map((one) => one.evaluation)
        )
        for (const {
          evaluation: { capturedAt, outcome },
          side
        } of life) {
          if (outcome === "boundary") continue
          // A run ends with the reading at which the next one begins.
          const run = runs.findLast(({ from, until }) => from <= capturedAt && capturedAt <= until)
          expect(run).toBeDefined()
          expect([null, side]).toContain(run?.side)
        }
        const hasCrossed = life.some(({ evaluation: { outcome } }) => outcome === "crossed" || outcome === "fired")
        const isKnown = runs.every((run) => run.side !== null)
        expect(isKnown || type === "dwell" || !hasCrossed).toBe(true)
      }),
      { numRuns: 2_000 }
    )
  })

  it("readings in a row that changed nothing are one line; firings never are", () => {
    const outcomes = [
      "seeded",
      "no_change",
      "no_change",
      "fired",
      "fired",
      "no_change",
      "boundary",
      "boundary"
    ] as const
    const runs = RuleRuns.folded(outcomes.map((outcome, index) => evaluation(index, outcome)))
    expect(runs.map(({ evaluations, outcome }) => [outcome, evaluations.length])).toEqual([
      ["seeded", 1],
      ["no_change", 2],
      ["fired", 1],
      ["fired", 1],
      ["no_change", 1],
      ["boundary", 2]
    ])
  })
})
