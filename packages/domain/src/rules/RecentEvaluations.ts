// The last evaluations of a rule, and who may read them. Decisions rules-8, rules-9 and rules-10.
import type { EventId } from "../shared/Ids.js"
import { HOUR, type Timestamp } from "../shared/Timestamp.js"
import type { Rule } from "./Rule.js"
import type { RuleOutcome } from "./RuleEvaluation.js"

/** The outcome of one fix for one rule, and its time. It has no position and no distance. */
export interface Evaluation {
  readonly capturedAt: Timestamp
  readonly receivedAt: Timestamp
  readonly outcome: RuleOutcome
  /** The event of a firing; null for other outcomes. */
  readonly eventId: EventId | null
}

/** The last `KEPT` evaluations of a rule, the newest last. */
export type RecentEvaluations = ReadonlyArray<Evaluation>

export const KEPT = 20

export const none: RecentEvaluations = []

/** Appends later evaluations and keeps the last `KEPT` of all. */
export const append = (recent: RecentEvaluations, next: RecentEvaluations): RecentEvaluations =>
  [...recent.slice(-KEPT), ...next].slice(-KEPT)

/** Fills in the event ids of new firings; earlier firings have theirs. A capture time identifies a firing of a rule. */
export const withEvents = (recent: RecentEvaluations, byCapture: ReadonlyMap<Timestamp, EventId>): RecentEvaluations =>
  recent.map((one) =>
    one.outcome === "fired" && one.eventId === null ? { ...one, eventId: byCapture.get(one.capturedAt) ?? null } : one
  )

/** How many new zone rules an hour show the app their evaluations: as many as calls of `verify-zone` an hour. */
const ZONES_PER_PERIOD = 20
/** The period in which new zone rules are counted. */
export const PERIOD = HOUR

/** When a rule begins to see fixes: at its creation, or when its window opens if that is later. */
export const beginning = ({ createdAt, window }: Pick<Rule, "createdAt" | "window">): Timestamp =>
  window.from !== null && window.from > createdAt ? window.from : createdAt

/**
 * The evaluations that the app and its developer may read. A disabled rule shows none, because a place that is not
 * shared must reveal nothing. From the 21st zone rule of an hour on, a rule shows none either: an app that reads "too
 * near the edge" for many circles can find out where the user is.
 */
export const forApp = (
  rule: Pick<Rule, "disabledAt">,
  { recent, zonesBefore }: { readonly recent: RecentEvaluations; readonly zonesBefore: number }
): RecentEvaluations => (rule.disabledAt !== null || zonesBefore >= ZONES_PER_PERIOD ? none : recent)
