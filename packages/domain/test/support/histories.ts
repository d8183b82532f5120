import type { RuleEvaluation } from "@place-access/domain/rules"
import { FastCheck as fc } from "effect"
import { type Point, travel } from "./geodesic.js"
import type { ReferenceFix } from "./referenceRules.js"
import { CIRCLE, DAY, MINUTE, NOON, SECOND, time } from "./rules.js"

/**
 * Lives of a phone near one circle, biased to the edges of every rule of Spec §4.6: a uniform generator needs thousands of runs
 * to meet 120 seconds exactly.
 */

/** Half metres, so that no fix lies within float noise of the end of a band. */
const DISTANCES_M = [0, 60.5, 98.5, 99.5, 100.5, 149.5, 150.5, 199.5, 200.5, 201.5, 229.5, 230.5, 1_000.5, 6_000.5]
const POINTS: ReadonlyArray<Point> = DISTANCES_M.map((metres) => travel(CIRCLE, 37, metres))
const PLAIN: ReadonlyArray<Point> = [travel(CIRCLE, 200, 0.5), travel(CIRCLE, 200, 700.5)]

const where = fc.oneof(
  { arbitrary: fc.constantFrom(...PLAIN), weight: 3 },
  { arbitrary: fc.constantFrom(...POINTS), weight: 1 }
)
const accuracy = fc.oneof(
  { arbitrary: fc.constantFrom(null, 10), weight: 3 },
  { arbitrary: fc.constantFrom(0, -1, 49, 50, 51, 52, 80, 149, 150, 151, 900), weight: 1 }
)

/** Between a capture and the next: mostly forwards, sometimes the same instant or back. */
const gap = fc.oneof(
  {
    arbitrary: fc.constantFrom(59_999, 60_000, 60_001, 119_999, 120_000, 120_001, 1, 1_000, 30_000, 5 * MINUTE),
    weight: 5
  },
  { arbitrary: fc.constantFrom(5 * MINUTE - 1, 5 * MINUTE + 1, 15 * MINUTE, 59 * MINUTE, 6 * 60 * MINUTE), weight: 2 },
  { arbitrary: fc.constantFrom(0, -1, -60_000, -119_999, -10 * MINUTE), weight: 1 }
)

/** Between the last capture of an upload and its arrival. */
const delay = fc.oneof(
  { arbitrary: fc.constantFrom(0, SECOND, 10 * MINUTE), weight: 3 },
  { arbitrary: fc.constantFrom(15 * MINUTE - 1, 15 * MINUTE, 15 * MINUTE + 1), weight: 2 },
  { arbitrary: fc.constantFrom(-MINUTE, 60 * MINUTE, DAY - 1, DAY, DAY + 1), weight: 1 }
)

interface Step {
  readonly gap: number
  readonly where: Point
  readonly accuracy: number | null
}

const step: fc.Arbitrary<Step> = fc.record({ gap, where, accuracy })
const upload = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 12 }), delay, isRepeated: fc.boolean() })

/** Uploads in the order of arrival; the fixes of one share its receipt time. Some uploads arrive again at once. */
export const uploads: fc.Arbitrary<ReadonlyArray<ReadonlyArray<ReferenceFix>>> = fc
  .array(upload, { minLength: 1, maxLength: 6 })
  .map((parts) => {
    let clock = NOON
    let arrival = 0
    return parts.flatMap(({ steps, delay, isRepeated }) => {
      const captured = steps.map((one) => ({ ...one, capturedAt: (clock += one.gap) }))
      const latest = Math.max(...captured.map((one) => one.capturedAt))
      // Two uploads are two: the reference knows them apart by their receipt times.
      arrival = latest + delay === arrival ? arrival + 1 : latest + delay
      const fixes = captured.map(({ capturedAt, where, accuracy }) => ({
        capturedAt,
        receivedAt: arrival,
        ...where,
        accuracy
      }))
      return isRepeated ? [fixes, fixes.map((fix) => ({ ...fix, receivedAt: fix.receivedAt + 1 }))] : [fixes]
    })
  })

const edge = fc
  .tuple(fc.constantFrom(0, 60_000, 119_999, 120_000, 5 * MINUTE, 20 * MINUTE), fc.constantFrom(-1, 0, 1))
  .map(([after, off]) => NOON + after + off)

const seldom = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | null> =>
  fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, { arbitrary, weight: 1 })

/** Rules about `CIRCLE`; some of them windowed, some windows closing a day before an arrival. */
export const questions: fc.Arbitrary<RuleEvaluation.Question> = fc
  .record({
    kind: fc.oneof(
      fc.constantFrom({ type: "enter" as const, dwellMinutes: null }, { type: "exit" as const, dwellMinutes: null }),
      fc.constantFrom(5, 6, 15, 720).map((dwellMinutes) => ({ type: "dwell" as const, dwellMinutes }))
    ),
    from: seldom(edge),
    until: seldom(edge.map((at) => at + MINUTE))
  })
  .map(({ kind, from, until }) => ({
    ...kind,
    circle: CIRCLE,
    window: { from: from === null ? null : time(from), until: until === null ? null : time(until) }
  }))
