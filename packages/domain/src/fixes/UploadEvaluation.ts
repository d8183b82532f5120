import type { Payload } from "../events/Event.js"
import type { LiveRule, Progress } from "../rules/LiveRule.js"
import * as RecentEvaluations from "../rules/RecentEvaluations.js"
import type { Rule } from "../rules/Rule.js"
import * as RuleEvaluation from "../rules/RuleEvaluation.js"
import type { EventId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** A rule that fired, with the capture time of the fix that decided it (decision L6). */
export interface Firing {
  readonly rule: Rule
  readonly at: Timestamp
}

export interface Evaluated {
  /** In the order of the rules: all of them, or none when there was nothing to look at. Firings have no event yet. */
  readonly states: ReadonlyArray<Progress>
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
  const states: Array<Progress> = []
  const firings: Array<Firing> = []
  for (const live of rules) {
    const { rule } = live
    const question: RuleEvaluation.Question = {
      type: rule.type,
      circle: live.circle,
      dwellMinutes: rule.dwellMinutes,
      window: rule.window,
      firesFrom: live.firesFrom
    }
    let state = RuleEvaluation.on(live.basis, live.state)
    const made: Array<RecentEvaluations.Evaluation> = []
    let unkept = fixes.length - RecentEvaluations.KEPT
    for (const fix of fixes) {
      const evaluated = RuleEvaluation.step(question, state, fix, receivedAt)
      state = evaluated.state
      const { outcome } = evaluated
      if (outcome === "fired") firings.push({ rule, at: fix.capturedAt })
      // Of an upload of thousands only what is kept is written down.
      if (unkept-- <= 0) made.push({ capturedAt: fix.capturedAt, receivedAt, outcome, eventId: null })
    }
    if (made.length > 0) states.push({ ruleId: rule.id, state, made })
  }
  return { states, firings: firings.sort((a, b) => a.at - b.at) }
}

/** The event that a firing became. */
export interface Fired extends Firing {
  readonly eventId: EventId
}

/** `states` with the ids of the events of their firings. */
export const withEvents = (states: ReadonlyArray<Progress>, fired: ReadonlyArray<Fired>): ReadonlyArray<Progress> =>
  fired.length === 0
    ? states
    : states.map((one) => {
        const own = new Map(fired.flatMap(({ at, eventId, rule }) => (rule.id === one.ruleId ? [[at, eventId]] : [])))
        return own.size === 0 ? one : { ...one, made: RecentEvaluations.withEvents(one.made, own) }
      })

/** What an app is told of a firing: the label is the one of now, and nothing is a coordinate (Spec §6.2). */
export const payload = ({ rule }: Firing): Payload => ({
  type: rule.target._tag === "Place" ? `place.${rule.type}` : `zone.${rule.type}`,
  ruleId: rule.id,
  target: { placeId: rule.target._tag === "Place" ? rule.target.placeId : null, label: rule.target.label }
})
