import type { App } from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import * as Pause from "../connection/Pause.js"
import type { AppId, Timestamp } from "../shared/index.js"
import { neededScope, type Payload, ruleIdOf } from "../events/Event.js"

// Whether the user still allows an event to be sent (decision events-4).

/**
 * The data for the check before each attempt: the state at the time of the attempt, not at the time of the event (Spec
 * §6.3.5). A first attempt may use data that were read up to `AHEAD_MAX_AGE` before the attempt.
 */
export interface Authorisation {
  readonly connection: Pick<
    Connection,
    "appId" | "heldScopes" | "standardExpiresAt" | "sensitiveExpiresAt" | "endedAt" | "pause"
  >
  readonly app: Pick<App, "declaredScopes" | "allowedScopes" | "revokedAt">
  /**
   * False when the rule was deleted, or when the user archived the rule's place or stopped sharing the place. True for
   * events without a rule.
   */
  readonly ruleStands: boolean
  /** Present when the user deleted the stretch of history in which the event occurred (decision retention-choice-4). */
  readonly isErased?: true
  /** Present while the connection is suspended (`WithApp.isSuspended`). The event waits (decision staff-1). */
  readonly isSuspended?: true
  /**
   * Present when the event occurred during a past or present suspension of the person's account or of the account of
   * the app's holder (`App.ownerId`). The event is never sent (decision staff-1).
   */
  readonly wasSuspended?: true
  /**
   * The address to which the events of the event's rule go (Spec §4.6.7). Absent when the rule names no address, and
   * for events without a rule.
   */
  readonly webhookUrl?: string
}

/**
 * In milliseconds. A first attempt that begins at most this long after the worker began to read the event uses the
 * authorisation that was read ahead, together with the event. A later attempt reads the authorisation again.
 */
export const AHEAD_MAX_AGE = 50

/**
 * Whether an attempt that begins now may use an authorisation whose read began at `readAt`. False when the clock was
 * set back since then.
 */
export const isRecent = (readAt: Timestamp.Timestamp, now: Timestamp.Timestamp): boolean =>
  now >= readAt && now - readAt <= AHEAD_MAX_AGE

/**
 * Whether the app may receive the event now or, while the connection is suspended, after the suspension. All of these
 * must be true:
 * - The connection is live, and belongs to the app.
 * - Neither the account of the user nor that of the app's holder was suspended when the event occurred
 *   (`wasSuspended`).
 * - The scope that the payload needs is effective. Events about the sensitive tier need no scope.
 * - The rule of the event still exists, and its place is still shared and not archived (`ruleStands`).
 * - For an event of a rule: the user did not delete the history of the event's time, and the event occurred after the
 *   end of the last pause. An earlier event is never sent, not even by a retry or a replay (decision connection-5).
 *   Events about permissions are sent even during a pause.
 */
export const permits = (
  authorisation: Authorisation,
  event: { readonly appId: AppId; readonly payload: Payload; readonly occurredAt: Timestamp.Timestamp },
  now: Timestamp.Timestamp
): boolean => {
  const { connection, app, ruleStands } = authorisation
  const scope = neededScope(event.payload)
  return (
    connection.appId === event.appId &&
    !authorisation.wasSuspended &&
    (ruleIdOf(event.payload) === null || !authorisation.isErased) &&
    EffectiveScopes.isLive(connection, app, now) &&
    ruleStands &&
    (ruleIdOf(event.payload) === null || !Pause.silences(connection.pause, event.occurredAt, now)) &&
    (scope === undefined || EffectiveScopes.check(connection, app, scope, now) === "allowed")
  )
}

/**
 * Whether the event may be sent to the endpoint, whose address is `url` now. True when the event's rule names no
 * address, or names `url`. The event must not follow the endpoint to another address, which may belong to a stranger
 * (decision endpoints-3).
 */
export const mayGoTo = ({ webhookUrl }: Authorisation, url: string): boolean =>
  webhookUrl === undefined || webhookUrl === url
