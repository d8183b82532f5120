// The secrets with which an app's server proves which app it is (decision apps-7).
import type { AppId, Vault } from "../shared/index.js"
import { HOUR, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * A client secret of an app. The database has only its SHA-256. The secret's characters are `[A-Za-z0-9_-]` (decision
 * O5).
 */
export interface ClientSecret {
  readonly appId: AppId
  readonly hash: Vault.Hash
  readonly createdAt: Timestamp
  /** From this instant on, the secret is not valid. Null for the newest secret, which does not expire. */
  readonly expiresAt: Timestamp | null
}

/** How long, in milliseconds, a secret still works after a newer secret was issued. */
export const OVERLAP = 24 * HOUR

/** Whether the secret is valid at `now`. At `expiresAt` it is no longer valid. */
export const isLive = (secret: ClientSecret, now: Timestamp): boolean =>
  secret.expiresAt === null || now < secret.expiresAt

/** A client secret: `pa_cs_` and 256 random bits. The prefix lets scanners recognise a leaked secret (decision O5). */
export const format = (random: string): string => `pa_cs_${random}`

/** Immediately ends every secret but the newest. `before` has the newest secret first. */
export const endPrevious = (before: ReadonlyArray<ClientSecret>): ReadonlyArray<ClientSecret> => before.slice(0, 1)

/** The secrets that are valid at `now`, newest first. */
export const live = (secrets: ReadonlyArray<ClientSecret>, now: Timestamp): ReadonlyArray<ClientSecret> =>
  secrets.filter((secret) => isLive(secret, now))

/**
 * The maximum number of client secrets of one app that are valid at the same time. Without this limit, a script that
 * registers again and again would fill the table.
 */
export const MAX_LIVE = 100

/**
 * Adds the secret `next`, and drops the oldest secrets beyond `MAX_LIVE`. The secret that was the newest until now
 * expires after `OVERLAP`, and older secrets keep their expiry dates. Several secrets can be valid at the same time,
 * because every registration issues a secret and must not end a secret that a server of the app still uses.
 */
export const rotate = (
  before: ReadonlyArray<ClientSecret>,
  next: ClientSecret,
  now: Timestamp
): ReadonlyArray<ClientSecret> =>
  [
    next,
    ...before
      .map((secret) => (secret.expiresAt === null ? { ...secret, expiresAt: plus(now, OVERLAP) } : secret))
      .filter((secret) => isLive(secret, now))
  ].slice(0, MAX_LIVE)
