// The last evaluations of a rule, and which of them an app may read. Decisions rules-8, rules-9 and rules-10.
import * as Account from "../accounts/Account.js"
import type { EventId } from "../shared/Ids.js"
import { HOUR, type Timestamp } from "../shared/Timestamp.js"
import type { Rule } from "./Rule.js"
import type { RuleOutcome } from "./RuleEvaluation.js"

/**
 * The outcome of one fix for one rule, with the times of the fix. It has no position and no distance, because apps read
 * it.
 */
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

/**
 * Fills in the event ids of new firings; earlier firings already have an id. The capture time identifies a firing of a
 * rule, because a rule fires at most once for each capture time.
 */
export const withEvents = (recent: RecentEvaluations, byCapture: ReadonlyMap<Timestamp, EventId>): RecentEvaluations =>
  recent.map((one) =>
    one.outcome === "fired" && one.eventId === null ? { ...one, eventId: byCapture.get(one.capturedAt) ?? null } : one
  )

/**
 * How many of the zone rules of a connection that begin within an hour show the app their evaluations. It equals the
 * number of zone questions that an app may ask in an hour.
 */
const ZONES_PER_PERIOD = 20
/** The period, in milliseconds, in which new zone rules are counted. */
export const PERIOD = HOUR

/** The time from which a rule uses fixes: its creation, or the opening of its window if that is later. */
export const beginning = ({ createdAt, window }: Pick<Rule, "createdAt" | "window">): Timestamp =>
  window.from !== null && window.from > createdAt ? window.from : createdAt

/**
 * The evaluations that the app and its developer may read. A disabled rule shows none, because a place that is not
 * shared must reveal nothing. From the 21st zone rule of an hour on, a rule shows none either: an app that reads "too
 * near the edge" for many circles can find out where the user is. A rule shows no fix that was captured before
 * `firesFrom` (`LiveRule.firesFrom`): such a fix shows when the user came and left before the app had permission. It
 * shows no fix that was captured during a past suspension either (decision staff-1). While the app is paused, a rule
 * shows none: the newest evaluations say where the user was just before the pause (decision connection-4).
 */
export const forApp = (
  rule: Pick<Rule, "disabledAt">,
  made: {
    readonly recent: RecentEvaluations
    readonly zonesBefore: number
    readonly firesFrom: Timestamp
    readonly suspensions: ReadonlyArray<Account.Suspension>
    readonly isPaused: boolean
  }
): RecentEvaluations =>
  rule.disabledAt !== null || made.isPaused || made.zonesBefore >= ZONES_PER_PERIOD
    ? none
    : made.recent.filter(
        ({ capturedAt }) => capturedAt >= made.firesFrom && !Account.wasSuspended(made.suspensions, capturedAt)
      )
