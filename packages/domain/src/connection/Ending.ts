import type { App } from "../apps/App.js"
import { make as timestamp, type Timestamp } from "../shared/Timestamp.js"
import * as Tier from "../tiers/Tier.js"
import type { Connection, EndReason } from "./Connection.js"
import type { Write } from "./ConnectionStore.js"

/** Ends at the date that had passed, not when somebody looked. Nothing when the connection has ended or is live. */
export const ifExpired = (connection: Connection, now: Timestamp): ReadonlyArray<Write> =>
  connection.endedAt === null && connection.standardExpiresAt !== null && !Tier.standardIsLive(connection, now)
    ? [{ _tag: "End", reason: "expired", at: connection.standardExpiresAt }]
    : []

/** Ends a live connection for `reason`; one that had expired unnoticed ends as expired, one that has ended stays as it is. */
export const end = (connection: Connection, reason: EndReason, at: Timestamp): ReadonlyArray<Write> => {
  if (connection.endedAt !== null) return []
  const expired = ifExpired(connection, at)
  return expired.length > 0 ? expired : [{ _tag: "End", reason, at }]
}

/**
 * Ends a connection of an app that an admin revoked, as of the revocation, when it stopped working; one that was approved while
 * the app was being revoked never lived.
 */
export const ifRevoked = (connection: Connection, { revokedAt }: Pick<App, "revokedAt">): ReadonlyArray<Write> =>
  revokedAt === null ? [] : end(connection, "admin_revoked", timestamp(Math.max(revokedAt, connection.connectedAt)))
