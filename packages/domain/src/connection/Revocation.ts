import { Option } from "effect"
import type { AppId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Decision, Locked } from "./ConnectionStore.js"
import * as Ending from "./Ending.js"

/**
 * A client that asks to revoke wants the connection to end, so a spent refresh token or an access token past its hour does it
 * too. One that was revoked does not: it is from before a reconnect and must not end what was made since (decision O6). What an
 * admin ended already, by revoking the app, and no worker has written down yet, stays the admin's doing.
 */
export const decide = (appId: AppId, state: Locked, now: Timestamp): Decision<"ended" | "no_effect"> => {
  const token = state.chain[0] ?? Option.getOrUndefined(state.access)
  const { app, connection } = state
  const isOwn = token !== undefined && token.revokedAt === null && connection.appId === appId
  const asked =
    app.revokedAt === null ? Ending.end(connection, "app_revoked_token", now) : Ending.ifRevoked(connection, app)
  const writes = isOwn ? asked : []
  return { outcome: writes.length > 0 ? "ended" : "no_effect", writes }
}
