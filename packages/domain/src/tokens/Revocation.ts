// Decides whether a client's request to revoke a token ends the token's connection (decision tokens-2).
import { Option } from "effect"
import type { AppId, Timestamp } from "../shared/index.js"
import type { ConnectionDecision } from "../connection/ConnectionStore.js"
import type { Locked, TokenWrite } from "./TokenStore.js"
import * as Ending from "../connection/Ending.js"

/**
 * Decides a request to revoke a token. The client wants the connection to end, so a spent refresh token or an expired
 * access token ends the connection too. A revoked token and a token of an earlier family have no effect: the user may
 * have connected again since, and an old token must not end the present connection (decision O6). When an admin has
 * revoked the app and no worker has ended the connection yet, the connection ends now, with the admin's revocation as
 * the reason.
 */
export const decide = (
  appId: AppId,
  state: Locked,
  now: Timestamp.Timestamp
): ConnectionDecision<"ended" | "no_effect", TokenWrite> => {
  const token = state.chain[0] ?? Option.getOrUndefined(state.access)
  const { app, connection } = state
  const isPresent = token !== undefined && token.revokedAt === null && token.familyId === connection.familyId
  const isOwn = isPresent && connection.appId === appId
  const ending =
    app.revokedAt === null ? Ending.end(connection, "app_revoked_token", now) : Ending.ifRevoked(connection, app)
  const writes = isOwn ? ending : []
  return { outcome: writes.length > 0 ? "ended" : "no_effect", writes }
}
