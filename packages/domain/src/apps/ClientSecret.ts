import type { AppId } from "../shared/Ids.js"
import { HOUR, plus, type Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"

/** Only its SHA-256 is kept. Characters `[A-Za-z0-9_-]` (decision O5). */
export interface ClientSecret {
  readonly appId: AppId
  readonly hash: Hash
  readonly createdAt: Timestamp
  /** Exclusive; null for the newest, which does not expire. */
  readonly expiresAt: Timestamp | null
}

/** How long the secret before the newest goes on working. */
export const OVERLAP = 24 * HOUR

/** Until the moment of its expiry, if it has one, and not at it. */
export const isLive = (secret: ClientSecret, now: Timestamp): boolean =>
  secret.expiresAt === null || now < secret.expiresAt

/** `pa_cs_` and 256 random bits: the prefix lets a leaked secret be recognised (decision O5). */
export const format = (random: string): string => `pa_cs_${random}`

/** A script that registers again and again must not let the app grow without end. */
export const MAX_LIVE = 100

/**
 * What is kept when `next` is issued: the newest before it lives on for a day, older ones no longer than they had. Each
 * registration issues a secret, so several can be live: dropping one early would break the app that still uses it.
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
