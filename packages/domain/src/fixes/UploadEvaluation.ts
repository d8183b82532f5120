import type { Payload } from "../events/Event.js"
import type { LiveRule } from "../rules/LiveRule.js"
import type { Rule } from "../rules/Rule.js"
import * as RuleEvaluation from "../rules/RuleEvaluation.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** A rule that fired, with the capture time of the fix that decided it (decision L6). */
export interface Firing {
  readonly rule: Rule
  readonly at: Timestamp
}

export interface Evaluated {
  /** Only those that changed, in the order of the rules. */
  readonly states: ReadonlyArray<{ readonly ruleId: Rule["id"]; readonly state: RuleEvaluation.RuleState }>
  /** By time; of one time in the order of the rules. */
  readonly firings: ReadonlyArray<Firing>
}

/**
 * Every rule over every fix of an upload. A plain function: `fixes` are new and in the order of `Fix.byCapture`, and rules do
 * not look at each other.
 */
export const evaluate = (
  rules: ReadonlyArray<LiveRule>,
  fixes: ReadonlyArray<RuleEvaluation.Observation>,
  receivedAt: Timestamp
): Evaluated => {
  const states: Array<Evaluated["states"][number]> = []
  const firings: Array<Firing> = []
  for (const live of rules) {
    const { rule } = live
    const question: RuleEvaluation.Question = {
      type: rule.type,
      circle: live.circle,
      dwellMinutes: rule.dwellMinutes,
      window: rule.window
    }
    const before = RuleEvaluation.on(live.basis, live.state)
    let state = before
    for (const fix of fixes) {
      const evaluated = RuleEvaluation.step(question, state, fix, receivedAt)
      state = evaluated.state
      if (evaluated.outcome === "fired") firings.push({ rule, at: fix.capturedAt })
    }
    if (state !== before) states.push({ ruleId: rule.id, state })
  }
  return { states, firings: firings.sort((a, b) => a.at - b.at) }
}

/** What an app is told of a firing: the label is the one of now, and nothing is a coordinate (Spec §6.2). */
export const payload = ({ rule }: Firing): Payload => ({
  type: rule.target._tag === "Place" ? `place.${rule.type}` : `zone.${rule.type}`,
  ruleId: rule.id,
  target: { placeId: rule.target._tag === "Place" ? rule.target.placeId : null, label: rule.target.label }
})
