import type { UserId } from "../shared/Ids.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"

/** A signed-in browser. Only the SHA-256 of its cookie is kept (decision A2). */
export interface Session {
  readonly hash: Hash
  readonly userId: UserId
  readonly createdAt: Timestamp
  /** Exclusive. */
  readonly expiresAt: Timestamp
}

export const LIFETIME = 14 * DAY

/** A session that begins now. `hash`: of the secret in the cookie. */
export const open = (hash: Hash, userId: UserId, now: Timestamp): Session => ({
  hash,
  userId,
  createdAt: now,
  expiresAt: plus(now, LIFETIME)
})

/** Until the moment of its expiry, and not at it. */
export const isLive = (session: Session, now: Timestamp): boolean => now < session.expiresAt

/** The form of `Entropy.secret`: anything else needs no look-up. */
export const isCookie = (text: string): boolean => /^[0-9a-z]{52}$/.test(text)
