import type { EventId } from "../shared/Ids.js"
import { HOUR, type Timestamp } from "../shared/Timestamp.js"
import type { Rule } from "./Rule.js"
import type { Outcome } from "./RuleEvaluation.js"

/** What one reading did to a rule: when and what, never where or how far. */
export interface Evaluation {
  readonly capturedAt: Timestamp
  readonly receivedAt: Timestamp
  readonly outcome: Outcome
  /** The event that was sent for it; null unless it fired. */
  readonly eventId: EventId | null
}

/** The last evaluations of a rule in the order in which they were made, the newest last; at most `KEPT`. */
export type RecentEvaluations = ReadonlyArray<Evaluation>

export const KEPT = 20

export const none: RecentEvaluations = []

/** `next` were made after `recent`. */
export const append = (recent: RecentEvaluations, next: RecentEvaluations): RecentEvaluations =>
  [...recent.slice(-KEPT), ...next].slice(-KEPT)

/** With the events that firings became; those of earlier uploads have theirs. A rule fires once per capture time. */
export const withEvents = (recent: RecentEvaluations, byCapture: ReadonlyMap<Timestamp, EventId>): RecentEvaluations =>
  recent.map((one) =>
    one.outcome === "fired" && one.eventId === null ? { ...one, eventId: byCapture.get(one.capturedAt) ?? null } : one
  )

/** As many zones an hour as `verify-zone` answers about. */
const ZONES_PER_PERIOD = 20
/** The period in which zone rules that begin are counted. */
export const PERIOD = HOUR

/** When a rule begins to look at readings, at the earliest. */
export const beginning = ({ createdAt, window }: Pick<Rule, "createdAt" | "window">): Timestamp =>
  window.from !== null && window.from > createdAt ? window.from : createdAt

/**
 * What the app, and with it its developer, may read of it. Nothing while the rule does not stand: a place that is not shared has
 * nothing to tell. And nothing of the 21st zone rule in an hour: "too near the edge" says where the user is, when one may draw
 * edges without end.
 */
export const forApp = (
  rule: Pick<Rule, "disabledAt">,
  { recent, zonesBefore }: { readonly recent: RecentEvaluations; readonly zonesBefore: number }
): RecentEvaluations => (rule.disabledAt !== null || zonesBefore >= ZONES_PER_PERIOD ? none : recent)
