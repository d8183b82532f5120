// The last evaluations of a rule, and which of them an app may read. Decisions rules-8, rules-9 and rules-10.
import * as Account from "../accounts/Account.js"
import type { EventId } from "../shared/Ids.js"
import { HOUR, type Timestamp } from "../shared/Timestamp.js"
import type { Rule } from "./Rule.js"
import type { RuleOutcome } from "./RuleEvaluation.js"

/**
 * The outcome of one fix for one rule, with the times of the fix. Apps read evaluations, so an evaluation has no
 * position and no distance: they would show where the user is. A firing by `RuleEvaluation.settle` is an evaluation
 * too.
 */
export interface Evaluation {
  readonly capturedAt: Timestamp
  readonly receivedAt: Timestamp
  readonly outcome: RuleOutcome
  /** The event of a firing; null for other outcomes. */
  readonly eventId: EventId | null
  /**
   * Whether the fix is too inaccurate to answer a question about a zone (`ZoneQuestions.isTooCoarse`). Absent: the fix
   * is accurate enough, or the rule is no zone rule.
   */
  readonly isTooCoarse?: true
}

/** The last evaluations of a rule, at most `KEPT` (20), the newest last. */
export type RecentEvaluations = ReadonlyArray<Evaluation>

export const KEPT = 20

export const none: RecentEvaluations = []

/** Appends the evaluations `next` to the earlier ones in `recent`, and keeps the last `KEPT` of them all. */
export const append = (recent: RecentEvaluations, next: RecentEvaluations): RecentEvaluations =>
  [...recent.slice(-KEPT), ...next].slice(-KEPT)

/**
 * Fills in the event ids of firings that have none yet. The capture time identifies a firing of a rule, because a rule
 * fires at most once for each capture time.
 */
export const withEvents = (recent: RecentEvaluations, byCapture: ReadonlyMap<Timestamp, EventId>): RecentEvaluations =>
  recent.map((one) =>
    one.outcome === "fired" && one.eventId === null ? { ...one, eventId: byCapture.get(one.capturedAt) ?? null } : one
  )

/**
 * When more zone rules of a connection than this number begin within one hour, the app may read only the evaluations of
 * the first of them, up to this number. The evaluations of many small zones would show the app where the user is
 * (decision rules-10). The number equals the limit of zone questions that an app may ask in an hour (`ZoneQuestions`).
 */
const ZONES_PER_PERIOD = 20
/** The period, in milliseconds, in which new zone rules are counted. */
export const PERIOD = HOUR

/** When a rule begins: at its creation, or at the opening of its window if the window opens later. */
export const beginning = ({ createdAt, window }: Pick<Rule, "createdAt" | "window">): Timestamp =>
  window.from !== null && window.from > createdAt ? window.from : createdAt

/**
 * The evaluations of a rule that the app and its developer may read. In three cases they may read no evaluation:
 * - The rule is disabled: a place that is not shared must reveal nothing.
 * - In the hour before the rule began, at least 20 other zone rules of the connection began. An app that reads "too
 *   near the edge" for many circles can find out where the user is.
 * - The app is paused: the newest evaluations say where the user was just before the pause (decision connection-4).
 *
 * In all other cases, they may not read the following evaluations:
 * - Evaluations of fixes that were captured before `firesFrom` (`LiveRule.firesFrom`). These evaluations would show
 *   when the user came and left before the app had permission.
 * - Evaluations of fixes that were captured during a past suspension (decision staff-1).
 * - Evaluations of fixes that are too inaccurate for questions about zones, except firings: "too near the edge" would
 *   be the answer in a wide band around a small zone (decision rules-10).
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
        ({ capturedAt, isTooCoarse, outcome }) =>
          capturedAt >= made.firesFrom &&
          !Account.wasSuspended(made.suspensions, capturedAt) &&
          (isTooCoarse !== true || outcome === "fired")
      )
