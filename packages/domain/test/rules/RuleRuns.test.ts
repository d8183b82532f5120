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

/**
 * Evaluates the readings as an upload does. Returns the evaluation and the side of each reading. `reseeds`: the rule
 * forgets its side before this reading, as when its place was moved or a pause ended.
 */
const lived = (
  type: Rule.RuleType,
  readings: ReadonlyArray<readonly [minute: number, metres: number, reseeds: boolean]>
) => {
  let state = RuleEvaluation.unseeded("basis 0")
  const window = { from: null, until: null }
  return readings.map(([minute, metres, reseeds], index) => {
    if (reseeds) state = RuleEvaluation.on(`basis ${index + 1}`, state)
    const fix = { capturedAt: at(minute), lat: HOME.lat + metres / 111_320, lon: HOME.lon, accuracyM: 10 }
    const dwellMinutes = type === "dwell" ? 10 : null
    const question = { type, circle: HOME, dwellMinutes, settleS: null, silenceS: null, window, firesFrom: null }
    const step = RuleEvaluation.step(question, state, fix, fix.capturedAt)
    state = step.state
    return { evaluation: evaluation(minute, step.outcome), side: state.side }
  })
}

describe("the last evaluations of a rule as a bar [rules-12]", () => {
  it("never shows a side on which the person was not, and shows both in each stretch in which an arrival or departure rule saw a crossing", () => {
    const reading = fc.tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(0, 148, 1_000),
      fc.integer({ min: 0, max: 9 }).map((n) => n === 0)
    )
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fc.array(reading, { maxLength: 20 }), (type, steps) => {
        let minute = 0
        const life = lived(
          type,
          steps.map(([gap, metres, reseeds]) => [(minute += gap), metres, reseeds] as const)
        )
        const runs = RuleRuns.sides(
          type,
          life.map((one) => one.evaluation)
        )
        /** For each reading: the stretch of readings around it during which the rule did not forget its side. */
        const stretches = steps.map((_, index) => {
          const from = steps.findLastIndex(([, , reseeds], at) => at <= index && reseeds)
          const until = steps.findIndex(([, , reseeds], at) => at > index && reseeds)
          return life.slice(Math.max(from, 0), until === -1 ? undefined : until)
        })
        life.forEach(({ evaluation: { capturedAt, outcome }, side }, index) => {
          if (outcome === "boundary") return
          // The reading that ends a run also begins the next run.
          const run = runs.findLast(({ from, until }) => from <= capturedAt && capturedAt <= until)
          const outcomes = stretches[index]?.map(({ evaluation }) => evaluation.outcome) ?? []
          const hasCrossed = outcomes.includes("crossed") || outcomes.includes("fired")
          const mayBeUnknown = type === "dwell" || !hasCrossed
          expect(run).toBeDefined()
          expect(mayBeUnknown ? [null, side] : [side ?? "a side that is known"]).toContain(run?.side)
        })
      }),
      { numRuns: 2_000 }
    )
  })

  it("never shows a side on which the person was not, also when silence fired a stay before its readings arrived [rules-14]", () => {
    const reading = fc.record({
      gap: fc.integer({ min: 1, max: 14 }),
      metres: fc.constantFrom(0, 0, 1_000),
      delay: fc.constantFrom(0, 0, 6, 14)
    })
    let silent = 0
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 12 }), (steps) => {
        const window = { from: null, until: null }
        const question = { circle: HOME, dwellMinutes: 10, settleS: null, silenceS: 300, window, firesFrom: null }
        const rule = { ...question, type: "dwell" } as const
        let [state, captured, received] = [RuleEvaluation.unseeded("basis"), 0, 0]
        const recent: Array<RecentEvaluations.Evaluation> = []
        const seen: Array<{ readonly capturedAt: number; readonly side: RuleEvaluation.RuleMemory["side"] }> = []
        for (const { delay, gap, metres } of steps) {
          captured += gap
          received = Math.max(received, captured + delay)
          const waited = RuleEvaluation.settle(rule, state, at(received))
          if (waited.firedAt !== null) {
            silent++
            recent.push({ ...evaluation(received, "fired"), capturedAt: waited.firedAt })
          }
          const fix = { capturedAt: at(captured), lat: HOME.lat + metres / 111_320, lon: HOME.lon, accuracyM: 10 }
          const step = RuleEvaluation.step(rule, waited.state, fix, at(received))
          state = step.state
          recent.push({ ...evaluation(received, step.outcome), capturedAt: fix.capturedAt })
          seen.push({ capturedAt: fix.capturedAt, side: state.side })
        }
        const runs = RuleRuns.sides("dwell", recent)
        expect(runs.filter(({ from, until }) => from > until)).toEqual([])
        for (const { capturedAt, side } of seen) {
          const run = runs.findLast(({ from, until }) => from <= capturedAt && capturedAt <= until)
          expect([null, side]).toContain(run?.side)
        }
      }),
      { numRuns: 2_000 }
    )
    expect(silent).toBeGreaterThan(0)
  })

  it.each([
    [
      "a run goes on until the reading that crossed",
      "enter",
      [
        [0, "seeded"],
        [5, "fired"],
        [6, "no_change"],
        [9, "crossed"]
      ],
      [
        ["outside", 0, 5],
        ["inside", 5, 9],
        ["outside", 9, 9]
      ]
    ],
    [
      "nothing is drawn between a pause and the first reading after it, and no side goes on across the pause",
      "enter",
      [
        [0, "seeded"],
        [5, "fired"],
        [9, "no_change"],
        [90, "seeded"],
        [95, "no_change"],
        [99, "crossed"]
      ],
      [
        ["outside", 0, 5],
        ["inside", 5, 9],
        ["inside", 90, 99],
        ["outside", 99, 99]
      ]
    ],
    [
      "a crossing that waited and fired later is listed twice, and counts once",
      "enter",
      [
        [0, "seeded"],
        [5, "settling"],
        [7, "no_change"],
        [5, "fired"]
      ],
      [
        ["outside", 0, 5],
        ["inside", 5, 7]
      ]
    ],
    [
      "the same crossing twice leads to one side, of a stay rule too",
      "dwell",
      [
        [1, "fired"],
        [5, "crossed"],
        [5, "crossed"]
      ],
      [
        ["inside", 1, 5],
        ["outside", 5, 5]
      ]
    ],
    [
      "a crossing that was contradicted leads back",
      "exit",
      [
        [0, "no_change"],
        [5, "settling"],
        [6, "contradicted"]
      ],
      [
        ["inside", 0, 5],
        ["outside", 5, 6],
        ["inside", 6, 6]
      ]
    ],
    [
      "readings that the rule ignores say nothing, not even the first",
      "enter",
      [
        [0, "boundary"],
        [5, "fired"],
        [6, "late"]
      ],
      [["inside", 5, 5]]
    ],
    [
      "two arrivals in a row, because the departure between them was not seen",
      "enter",
      [
        [0, "fired"],
        [5, "cooling_down"]
      ],
      [["inside", 0, 5]]
    ],
    [
      "without a crossing nobody knows the side",
      "exit",
      [
        [0, "seeded"],
        [4, "no_change"]
      ],
      [[null, 0, 4]]
    ],
    [
      "a stay fires where the person already was, and leaving it says where that was",
      "dwell",
      [
        [0, "seeded"],
        [10, "fired"],
        [12, "crossed"],
        [15, "no_change"]
      ],
      [
        ["inside", 0, 12],
        ["outside", 12, 15]
      ]
    ],
    [
      "a stay that silence fired, and a reading from before the end of its minutes that arrived later: the person had left",
      "dwell",
      [
        [0, "seeded"],
        [3, "no_change"],
        [10, "fired"],
        [8, "crossed"],
        [20, "no_change"]
      ],
      [
        ["inside", 0, 8],
        ["outside", 8, 20]
      ]
    ],
    [
      "a stay that silence fired, and a reading from before the end of its minutes that arrived later: the person was there",
      "dwell",
      [
        [10, "fired"],
        [8, "no_change"],
        [12, "crossed"]
      ],
      [
        ["inside", 8, 12],
        ["outside", 12, 12]
      ]
    ]
  ] as const)("%s", (_, type, readings, expected) => {
    const runs = RuleRuns.sides(
      type,
      readings.map(([minute, outcome]) => evaluation(minute, outcome))
    )
    expect(runs).toEqual(expected.map(([side, from, until]) => ({ side, from: at(from), until: at(until) })))
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
