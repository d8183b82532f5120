// The writes that end a connection (decision connection-3).
import type { App } from "../apps/App.js"
import { make as timestamp, type Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection, EndReason } from "./Connection.js"
import type { Write } from "./ConnectionStore.js"

/** Ends a connection whose standard tier has passed, with that date as its end. No writes for any other connection. */
export const ifExpired = (connection: Connection, now: Timestamp): ReadonlyArray<Write> =>
  connection.endedAt === null && connection.standardExpiresAt !== null && !Tier.standardIsLive(connection, now)
    ? [{ _tag: "End", reason: "expired", at: connection.standardExpiresAt }]
    : []

/** Ends a live connection for `reason`, or as expired if its standard tier has passed. A stored end stays. */
export const end = (connection: Connection, reason: EndReason, at: Timestamp): ReadonlyArray<Write> => {
  if (connection.endedAt !== null) return []
  const expired = ifExpired(connection, at)
  return expired.length > 0 ? expired : [{ _tag: "End", reason, at }]
}

/**
 * Ends a revoked app's connection as of the revocation, or as of `connectedAt` if the connection was made later. If the
 * standard tier had passed by then, the connection ends as expired. No writes when the app is not revoked.
 */
export const ifRevoked = (connection: Connection, { revokedAt }: Pick<App, "revokedAt">): ReadonlyArray<Write> =>
  revokedAt === null ? [] : end(connection, "admin_revoked", timestamp(Math.max(revokedAt, connection.connectedAt)))

/**
 * Stores the end of a connection that is over already: its app was revoked, or its standard tier has passed. Users see
 * such a connection as ended before a worker stores the end, so a later call must not give it another end.
 */
export const ifOver = (connection: Connection, app: Pick<App, "revokedAt">, now: Timestamp): ReadonlyArray<Write> =>
  app.revokedAt === null ? ifExpired(connection, now) : ifRevoked(connection, app)
