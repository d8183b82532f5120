import type { App } from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import * as Pause from "../connection/Pause.js"
import type { AppId, Timestamp } from "../shared/index.js"
import { neededScope, type Payload, ruleIdOf } from "../events/Event.js"

// Whether the user still allows an event to be sent (decision events-4).

/** What the check before each attempt reads: the state of this moment, not that of the event (Spec §6.3.5). */
export interface Authorisation {
  readonly connection: Pick<
    Connection,
    "appId" | "heldScopes" | "standardExpiresAt" | "sensitiveExpiresAt" | "endedAt" | "pause"
  >
  readonly app: Pick<App, "declaredScopes" | "allowedScopes" | "revokedAt">
  /** False when the rule was deleted, or its place withdrawn or archived. True for events without a rule. */
  readonly ruleStands: boolean
  /** Present when the user deleted the stretch of history in which the event occurred (decision retention-choice-4). */
  readonly isErased?: true
  /** Present while the account of the person or of the app's developer is suspended (decision staff-1). */
  readonly isSuspended?: true
}

/**
 * Whether the app may receive the event now: its connection is live, nobody is suspended, the scope that the payload
 * needs is effective, the rule stands, and the user did not delete that time. Events about the sensitive tier need a
 * live connection only. A rule's event from before the end of a pause is not sent, by no retry and no replay (decision
 * connection-5); events about permissions are sent during a pause too.
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
