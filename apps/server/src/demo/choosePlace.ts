import { Fix } from "@place-access/domain/fixes"
import { Geometry, Place } from "@place-access/domain/places"
import { Rule, RuleEvaluation } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import type { RecordedFix, Upload } from "./PhoneLog.js"

const RADII_M = [Place.DEFAULT_RADIUS_M, 250, 500]
const CANDIDATES_MAX = 150
/**
 * The worst accuracy, in meters, of a reading that may be the centre of the circle: the phone must really have been
 * there. Also the greatest distance of a reading that counts as near this centre.
 */
const PRECISE_M = 50

const NO_WINDOW = { from: null, until: null }

/**
 * Finds a circle that the phone of a log enters, stays in and leaves, as the rule engine of the service decides. If
 * there is no such circle, the function takes the circle with the highest score (`worth`). Of several circles with this
 * score it takes the smallest one, and of these the one with the largest number of precise readings near its centre.
 * Undefined when no circle has an event.
 */
export const choosePlace = (uploads: ReadonlyArray<Upload>): Geometry.Circle | undefined => {
  const precise = uploads
    .flatMap(({ readings }) => readings)
    .filter(({ accuracyM }) => accuracyM > 0 && accuracyM <= PRECISE_M)
  const step = Math.max(1, Math.floor(precise.length / CANDIDATES_MAX))
  const candidates = precise
    .filter((_, index) => index % step === 0)
    .map((at) => ({ at, near: precise.filter((other) => Geometry.distanceM(at, other) <= PRECISE_M).length }))
    .toSorted((a, b) => b.near - a.near)
  let best: { readonly circle: Geometry.Circle; readonly score: number } | undefined
  for (const radiusM of RADII_M) {
    for (const { at } of candidates) {
      const circle = { lat: at.lat, lon: at.lon, radiusM }
      const score = worth(circle, uploads)
      if (score > (best?.score ?? 0)) best = { circle, score }
    }
  }
  return best?.circle
}

/**
 * Scores a circle: two points each for an arrival and a departure, one for a stay. Further events count nothing, so
 * that they do not justify a bigger circle.
 */
const worth = (circle: Geometry.Circle, uploads: ReadonlyArray<Upload>): number => {
  const counts = { enter: 0, exit: 0, dwell: 0 }
  const watch = watcher(circle)
  for (const upload of uploads) for (const type of watch(upload)) counts[type]++
  return 2 * (Math.min(counts.enter, 1) + Math.min(counts.exit, 1)) + Math.min(counts.dwell, 1)
}

export const DWELL_MINUTES = 5
const MINUTES: Readonly<Record<Rule.RuleType, number | null>> = { enter: null, exit: null, dwell: DWELL_MINUTES }

/**
 * Evaluates the demo's three rules on a circle as the service does. Call the returned function with the uploads in
 * order; it returns the types of the rules that each upload fires.
 */
export const watcher = (circle: Geometry.Circle): ((upload: Upload) => ReadonlyArray<Rule.RuleType>) => {
  const rules = Rule.RuleType.literals.map((type) => ({
    question: {
      type,
      circle,
      dwellMinutes: MINUTES[type],
      settleS: null,
      silenceS: null,
      window: NO_WINDOW,
      // Null: a fix of any time may fire the rule. The demo makes its rules before the first reading, so all fixes are
      // later than the rules.
      firesFrom: null
    },
    state: RuleEvaluation.unseeded("")
  }))
  return ({ at, readings }) => {
    const fired: Array<Rule.RuleType> = []
    const possible = readings.filter((one) => Fix.judge(reading(one), Timestamp.make(at))._tag === "Fix")
    for (const one of possible.toSorted((a, b) => a.capturedAt - b.capturedAt)) {
      for (const rule of rules) {
        const { outcome, state } = RuleEvaluation.step(rule.question, rule.state, observation(one), Timestamp.make(at))
        rule.state = state
        if (outcome === "fired") fired.push(rule.question.type)
      }
    }
    return fired
  }
}

const reading = ({ capturedAt, lat, lon }: RecordedFix): Fix.Reading => ({
  capturedAt: Timestamp.make(capturedAt),
  lat,
  lon
})

const observation = ({ accuracyM, capturedAt, lat, lon }: RecordedFix): RuleEvaluation.Observation => ({
  capturedAt: Timestamp.make(capturedAt),
  lat,
  lon,
  accuracyM: accuracyM > 0 ? accuracyM : null
})
