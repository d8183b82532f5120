import type { App } from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import type { AppId, Timestamp } from "../shared/index.js"
import { neededScope, type Payload } from "../events/Event.js"

// Whether the user still allows an event to be sent (decision events-4).

/** What the check before each attempt reads: the state of this moment, not that of the event (Spec §6.3.5). */
export interface Authorisation {
  readonly connection: Pick<Connection, "appId" | "heldScopes" | "standardExpiresAt" | "sensitiveExpiresAt" | "endedAt">
  readonly app: Pick<App, "declaredScopes" | "allowedScopes" | "revokedAt">
  /** False when the rule was deleted, or its place withdrawn or archived. True for events without a rule. */
  readonly ruleStands: boolean
}

/**
 * Whether the app may still receive the event: its connection lives, it is not revoked, the payload's scope is
 * effective, and the rule stands. Retries stop too. The end of the sensitive tier needs a live connection only.
 */
export const permits = (
  authorisation: Authorisation,
  event: { readonly appId: AppId; readonly payload: Payload },
  now: Timestamp.Timestamp
): boolean => {
  const { connection, app, ruleStands } = authorisation
  const scope = neededScope(event.payload)
  return (
    connection.appId === event.appId &&
    EffectiveScopes.isLive(connection, app, now) &&
    ruleStands &&
    (scope === undefined || EffectiveScopes.check(connection, app, scope, now) === "allowed")
  )
}
