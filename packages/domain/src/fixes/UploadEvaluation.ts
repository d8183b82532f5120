import type { OutboxEvent, Payload } from "../events/Event.js"
import { isTooCoarse } from "../limits/ZoneQuestions.js"
import type { LiveRule, RuleProgress } from "../rules/LiveRule.js"
import * as RecentEvaluations from "../rules/RecentEvaluations.js"
import type { Rule } from "../rules/Rule.js"
import * as RuleEvaluation from "../rules/RuleEvaluation.js"
import type { EventId, RuleId, Timestamp } from "../shared/index.js"

/** A rule that fired. */
export interface Firing {
  readonly rule: Rule
  /**
   * The capture time of the fix with which the user entered or left the place, or with which the dwell fired (decision
   * L6). For a dwell that silence fired: the end of the dwell time (`Unsettled.at`).
   */
  readonly at: Timestamp.Timestamp
}

export interface UploadOutcome {
  /**
   * The new state of each rule that was evaluated over a fix, or that fired, in the order of the rules. The `eventId`
   * of each firing is null until `withEvents` fills it in.
   */
  readonly states: ReadonlyArray<RuleProgress>
  /** The firings in order of time. Firings of one instant are in the order of the rules. */
  readonly firings: ReadonlyArray<Firing>
}

/** Evaluates every rule over the new fixes of an upload. The fixes are in the order of `Fix.byCapture`. */
export const evaluate = (
  rules: ReadonlyArray<LiveRule>,
  fixes: ReadonlyArray<RuleEvaluation.Observation>,
  receivedAt: Timestamp.Timestamp
): UploadOutcome => {
  const states: Array<RuleProgress> = []
  const firings: Array<Firing> = []
  for (const live of rules) {
    const { rule } = live
    const question: RuleEvaluation.Question = {
      type: rule.type,
      circle: live.circle,
      dwellMinutes: rule.dwellMinutes,
      settleS: rule.settleS,
      silenceS: rule.silenceS,
      window: rule.window,
      firesFrom: live.firesFrom
    }
    const made: Array<RecentEvaluations.Evaluation> = []
    const fire = (at: Timestamp.Timestamp): void => {
      firings.push({ rule, at })
      made.push({ capturedAt: at, receivedAt, outcome: "fired", eventId: null })
    }
    // When the waiting time of a crossing (`settleS`) or of a dwell (`silenceS`) has ended without a contradicting fix,
    // the rule fires here, unless a worker has already fired the rule.
    const before = RuleEvaluation.settle(question, RuleEvaluation.on(live.basis, live.state), receivedAt)
    let { state } = before
    if (before.firedAt !== null) fire(before.firedAt)
    let unkept = fixes.length - RecentEvaluations.KEPT
    for (const fix of fixes) {
      const evaluated = RuleEvaluation.step(question, state, fix, receivedAt)
      state = evaluated.state
      const { outcome, settled } = evaluated
      if (settled !== undefined) fire(settled)
      if (outcome === "fired") firings.push({ rule, at: fix.capturedAt })
      // An upload may have hundreds of fixes, but only its last `KEPT` evaluations are stored, so no other evaluations
      // are built.
      if (unkept-- > 0) continue
      const isCoarse = rule.target._tag === "Zone" && isTooCoarse(fix.accuracyM)
      const evaluation = { capturedAt: fix.capturedAt, receivedAt, outcome, eventId: null }
      made.push(isCoarse ? { ...evaluation, isTooCoarse: true } : evaluation)
    }
    if (made.length > 0) states.push({ ruleId: rule.id, state, made: made.slice(-RecentEvaluations.KEPT) })
  }
  return { states, firings: firings.sort((a, b) => a.at - b.at) }
}

/** The firings due at `now`: no fix has contradicted their crossings or dwells (decisions rules-13 and rules-14). */
export const settle = (rules: ReadonlyArray<LiveRule>, now: Timestamp.Timestamp): UploadOutcome =>
  evaluate(rules, [], now)

/** A firing, with the event that reports it. */
export interface RuleFiring extends Firing {
  readonly eventId: EventId
}

/** Returns the states, with the event id of each firing written into the evaluation that fired. */
export const withEvents = (
  states: ReadonlyArray<RuleProgress>,
  fired: ReadonlyArray<RuleFiring>
): ReadonlyArray<RuleProgress> => {
  // Grouped by rule, because a person may have thousands of rules of many apps.
  const events = new Map<RuleId, Map<Timestamp.Timestamp, EventId>>()
  for (const { at, eventId, rule } of fired) {
    events.set(rule.id, (events.get(rule.id) ?? new Map<Timestamp.Timestamp, EventId>()).set(at, eventId))
  }
  return states.map((one) => {
    const own = events.get(one.ruleId)
    return own === undefined ? one : { ...one, made: RecentEvaluations.withEvents(one.made, own) }
  })
}

/**
 * The payload of the event that reports a firing. It has the label of the place or zone and no coordinate (Spec §6.2).
 */
export const payload = ({ rule }: Firing): Payload => ({
  type: rule.target._tag === "Place" ? `place.${rule.type}` : `zone.${rule.type}`,
  ruleId: rule.id,
  target: { placeId: rule.target._tag === "Place" ? rule.target.placeId : null, label: rule.target.label }
})

/** The event of a firing, for the outbox. */
export const event = (fired: RuleFiring): OutboxEvent => ({
  userId: fired.rule.userId,
  id: fired.eventId,
  connectionId: fired.rule.connectionId,
  appId: fired.rule.appId,
  payload: payload(fired),
  occurredAt: fired.at,
  webhookUrl: fired.rule.webhookUrl,
  maxEventAgeS: fired.rule.maxEventAgeS
})
