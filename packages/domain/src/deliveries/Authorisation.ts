import type { App } from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import * as Pause from "../connection/Pause.js"
import type { AppId, Timestamp } from "../shared/index.js"
import { neededScope, type Payload, ruleIdOf } from "../events/Event.js"

// Whether the user still allows an event to be sent (decision events-4).

/**
 * What the check before each attempt reads: the state at the attempt, and not at the time of the event (Spec §6.3.5).
 */
export interface Authorisation {
  readonly connection: Pick<
    Connection,
    "appId" | "heldScopes" | "standardExpiresAt" | "sensitiveExpiresAt" | "endedAt" | "pause"
  >
  readonly app: Pick<App, "declaredScopes" | "allowedScopes" | "revokedAt">
  /**
   * False when the rule was deleted, or when its place is archived or no longer shared. True for events without a rule.
   */
  readonly ruleStands: boolean
  /** Present when the user deleted the stretch of history in which the event occurred (decision retention-choice-4). */
  readonly isErased?: true
  /**
   * Present while the account of the person or of the app's developer is suspended, and for an event that occurred
   * during an earlier suspension of one of them (decision staff-1).
   */
  readonly isSuspended?: true
  /** Present when the event's rule names the address to which its events go (Spec §4.6.7). */
  readonly webhookUrl?: string
}

/**
 * Whether the app may receive the event now: its connection is live, nobody is suspended or was at the event's time,
 * the scope that the payload needs is effective, the rule and its place still exist, and the user did not delete the
 * history of the event's time.
 * Events about the sensitive tier need only a live connection. A rule's event that occurred before the end of a pause
 * is never sent, also not by a retry or a replay (decision connection-5). Events about permissions are sent during a
 * pause too.
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
    !authorisation.isSuspended &&
    (ruleIdOf(event.payload) === null || !authorisation.isErased) &&
    EffectiveScopes.isLive(connection, app, now) &&
    ruleStands &&
    (ruleIdOf(event.payload) === null || !Pause.silences(connection.pause, event.occurredAt, now)) &&
    (scope === undefined || EffectiveScopes.check(connection, app, scope, now) === "allowed")
  )
}

/**
 * Whether the event may be sent to the endpoint that has this address now: its rule names no address, or this one. An
 * event must not follow the endpoint to another address, which may belong to a stranger (decision endpoints-3).
 */
export const mayGoTo = ({ webhookUrl }: Authorisation, url: string): boolean =>
  webhookUrl === undefined || webhookUrl === url
