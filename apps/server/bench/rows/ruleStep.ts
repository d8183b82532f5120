import { Geometry } from "@place-access/domain/places"
import { RuleEvaluation } from "@place-access/domain/rules"
import { Timestamp } from "@place-access/domain/shared"
import * as Goal from "../harness/Goal.js"
import type { Row, Sample } from "../harness/Row.js"

/**
 * How much the state machine of Spec §4.6 costs beside the arithmetic that nobody can spare: the distance and the two
 * comparisons with the band.
 */

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 15)
const FIXES = 100_000
const CIRCLE: Geometry.Circle = { lat: 52.37, lon: 4.89, radiusM: 150 }

/** A phone that goes in and out of the circle, a fix every half minute: twenty inside, twenty outside, some near the edge. */
const fixes: ReadonlyArray<RuleEvaluation.Observation> = Array.from({ length: FIXES }, (_, index) => ({
  capturedAt: Timestamp.make(START + (index * MINUTE) / 2),
  lat: CIRCLE.lat + (index % 40 < 20 ? 1e-4 : 2e-2),
  lon: CIRCLE.lon + (index % 11) * 2e-4,
  accuracyM: index % 3 === 0 ? null : 10
}))

const OPEN = { from: null, until: null }
const asked = { circle: CIRCLE, dwellMinutes: null, window: OPEN }
/** One of each kind, and one with a window around everything. */
const questions: ReadonlyArray<RuleEvaluation.Question> = [
  { ...asked, type: "enter" },
  { ...asked, type: "exit" },
  { ...asked, type: "dwell", dwellMinutes: 5 },
  { ...asked, type: "enter", window: { from: Timestamp.make(START), until: Timestamp.make(START + FIXES * MINUTE) } }
]

/** Number of firings: an answer that depends on every step, so that none can be left out. */
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
  return fired
}

/** Fixes inside, less those outside. */
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
  return balance
}

/** Each one of this process, on one core. */
const timed = (task: () => number): Sample => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  task()
  const seconds = (performance.now() - start) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  const operations = FIXES * questions.length
  return { operations, seconds, p50Ms: null, p99Ms: null, cpuMicrosPerOp: (user + system) / operations, peakMB: null }
}

export const ruleStep: Row = {
  name: "rule-step",
  path: "RuleEvaluation.step: one fix against one rule, on one core",
  seconds: 10,
  open: async () => [
    {
      product: async () => timed(steps),
      baseline: async () => timed(bare),
      warmUpRounds: 4,
      goals: [Goal.throughputRatio(0.4), Goal.opsPerS(5_000_000)]
    }
  ]
}
