import { Geometry } from "@place-access/domain/places"
import { RuleEvaluation } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import type { Sides } from "../harness/loop/Loop.js"

/**
 * Compares the cost of the state machine of Spec §4.6 with the arithmetic that every implementation needs: the distance
 * from the edge of the circle, and its comparison with the two limits of the hysteresis band.
 */

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 15)
const FIXES = 100_000
const CIRCLE: Geometry.Circle = { lat: 52.37, lon: 4.89, radiusM: 150 }

/**
 * The fixes of a phone that enters and leaves the circle, one every half minute: twenty inside, twenty outside, some of
 * them near the edge.
 */
const fixes: ReadonlyArray<RuleEvaluation.Observation> = Array.from({ length: FIXES }, (_, index) => ({
  capturedAt: Timestamp.make(START + (index * MINUTE) / 2),
  lat: CIRCLE.lat + (index % 40 < 20 ? 1e-4 : 2e-2),
  lon: CIRCLE.lon + (index % 11) * 2e-4,
  accuracyM: index % 3 === 0 ? null : 10
}))

const OPEN = { from: null, until: null }
const question = {
  circle: CIRCLE,
  dwellMinutes: null,
  settleS: null,
  silenceS: null,
  window: OPEN,
  firesFrom: Timestamp.make(START)
}
/**
 * Four rules: one for `enter`, one for `exit`, one for `dwell`, and one for `enter` that is active only for a time (its
 * window). All fixes are in this time.
 */
const questions: ReadonlyArray<RuleEvaluation.Question> = [
  { ...question, type: "enter" },
  { ...question, type: "exit" },
  { ...question, type: "dwell", dwellMinutes: 5 },
  { ...question, type: "enter", window: { from: Timestamp.make(START), until: Timestamp.make(START + FIXES * MINUTE) } }
]

const OPERATIONS = FIXES * questions.length

/** A value that depends on every step, so that V8 cannot leave a step out. */
let kept = 0

const steps = (): number => {
  let fired = 0
  for (const question of questions) {
    let state = RuleEvaluation.unseeded("bench")
    for (const fix of fixes) {
      const evaluated = RuleEvaluation.step(question, state, fix, fix.capturedAt)
      state = evaluated.state
      if (evaluated.outcome === "fired") fired++
    }
  }
  kept = fired
  return OPERATIONS
}

const bare = (): number => {
  let balance = 0
  for (const { circle } of questions) {
    for (const fix of fixes) {
      const fromEdgeM = Geometry.distanceM(circle, fix) - circle.radiusM
      const bandM = Math.max(Geometry.MIN_BAND_M, fix.accuracyM ?? 0)
      if (fromEdgeM < -bandM) balance++
      else if (fromEdgeM > bandM) balance--
    }
  }
  kept = balance
  return OPERATIONS
}

const sides: Sides = { product: steps, baseline: bare, kept: () => kept }

export default sides
