import type { App } from "../apps/App.js"
import type { Connection } from "../connection/Connection.js"
import * as EffectiveScopes from "../connection/EffectiveScopes.js"
import type { AppId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { neededScope, type Payload } from "./Event.js"

/** What the check before each attempt reads: the state of now, not of when the event happened (Spec §6.3.5). */
export interface Authorisation {
  readonly connection: Pick<Connection, "appId" | "heldScopes" | "standardExpiresAt" | "sensitiveExpiresAt" | "endedAt">
  readonly app: Pick<App, "declaredScopes" | "allowedScopes" | "revokedAt">
  /** False once the rule was deleted, or its place withdrawn or archived. True for events without a rule. */
  readonly ruleStands: boolean
}

/**
 * Whether the app may still be told: the connection is its own and live, the app not revoked, the scope that the payload
 * needs effective, the rule there. Withdrawn since means not sent, however often it was tried before. What tells of the
 * sensitive tier's end needs no scope, only a live connection.
 */
export const permits = (
  authorisation: Authorisation,
  event: { readonly appId: AppId; readonly payload: Payload },
  now: Timestamp
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
