// The writes that end a connection (decision connection-3).
import type { App } from "../apps/App.js"
import { make as timestamp, type Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection, EndReason } from "./Connection.js"
import type { Write } from "./ConnectionStore.js"

/**
 * The writes that end a connection whose standard tier has ended. The stored end is the end of this tier. Returns no
 * writes while the tier has not ended, and no writes when an end is stored already.
 */
export const ifExpired = (connection: Connection, now: Timestamp): ReadonlyArray<Write> =>
  connection.endedAt === null && connection.standardExpiresAt !== null && !Tier.standardIsLive(connection, now)
    ? [{ _tag: "End", reason: "expired", at: connection.standardExpiresAt }]
    : []

/**
 * The writes that end a connection: as expired if its standard tier has ended, otherwise for `reason`. No writes when
 * an end is stored already.
 */
export const end = (connection: Connection, reason: EndReason, at: Timestamp): ReadonlyArray<Write> => {
  if (connection.endedAt !== null) return []
  const expired = ifExpired(connection, at)
  return expired.length > 0 ? expired : [{ _tag: "End", reason, at }]
}

/**
 * The writes that end a revoked app's connection at the time of the revocation, or at `connectedAt` if the connection
 * was made later. If the standard tier had ended before that time, the connection ends as expired. No writes when the
 * app is not revoked, and when an end is stored already.
 */
export const ifRevoked = (connection: Connection, { revokedAt }: Pick<App, "revokedAt">): ReadonlyArray<Write> =>
  revokedAt === null ? [] : end(connection, "admin_revoked", timestamp(Math.max(revokedAt, connection.connectedAt)))

/**
 * The writes that store the end of a connection that is over already, because its app was revoked or its standard tier
 * has ended. Users see this connection as ended even before a worker stores the end. So a later call must store this
 * end, and not an end for another reason.
 */
export const ifOver = (connection: Connection, app: Pick<App, "revokedAt">, now: Timestamp): ReadonlyArray<Write> =>
  app.revokedAt === null ? ifExpired(connection, now) : ifRevoked(connection, app)
