import type { Geometry } from "@place-access/domain/places"
import { RuleEvaluation } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import { travel } from "./geodesic.js"

/** A circle of 150 m for tests of rules, and positions at certain distances from its centre. */
export const CIRCLE: Geometry.Circle = { lat: 52.37, lon: 4.89, radiusM: 150 }
export const NOON = Date.UTC(2026, 0, 15, 12)
export const SECOND = 1_000
export const MINUTE = 60_000
export const HOUR = 3_600_000
export const DAY = 86_400_000

export const time = (millis: number): Timestamp.Timestamp => Timestamp.make(millis)

/** The position this many metres east of the circle's centre. */
export const at = (metres: number): Geometry.Point => travel(CIRCLE, 90, metres)

export const INSIDE = at(0)
export const OUTSIDE = at(1_000)
/** A position on the boundary of the circle. */
export const EDGE = at(CIRCLE.radiusM)

export interface Seen {
  /** The capture time, in milliseconds after noon. */
  readonly after: number
  readonly where: Geometry.Point
  readonly accuracyM?: number | null
  /** The time between capture and arrival, in milliseconds. */
  readonly delay?: number
}

export const question = (overrides: Partial<RuleEvaluation.Question> = {}): RuleEvaluation.Question => ({
  type: "enter",
  circle: CIRCLE,
  dwellMinutes: null,
  settleS: null,
  silenceS: null,
  window: { from: null, until: null },
  firesFrom: null,
  ...overrides
})

export const dwell = (dwellMinutes: number): RuleEvaluation.Question => question({ type: "dwell", dwellMinutes })

/** Evaluates each fix as a separate upload. Returns the outcome of each fix, and the state after the last fix. */
export const evaluate = (
  question: RuleEvaluation.Question,
  seen: ReadonlyArray<Seen>,
  from: RuleEvaluation.RuleMemory = RuleEvaluation.unseeded("1")
): { readonly outcomes: ReadonlyArray<RuleEvaluation.RuleOutcome>; readonly state: RuleEvaluation.RuleMemory } => {
  let state = from
  const outcomes = seen.map(({ after, where, accuracyM = 10, delay = 0 }) => {
    const fix = { capturedAt: time(NOON + after), ...where, accuracyM }
    const evaluated = RuleEvaluation.step(question, state, fix, time(NOON + after + delay))
    state = evaluated.state
    return evaluated.outcome
  })
  return { outcomes, state }
}

export const outcomes = (question: RuleEvaluation.Question, seen: ReadonlyArray<Seen>) =>
  evaluate(question, seen).outcomes
