// A signed-in browser (decision accounts-6).
import type { UserId, Vault } from "../shared/index.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"

/** A signed-in browser. Only the SHA-256 of its cookie is stored (decision A2). */
export interface Session {
  readonly hash: Vault.Hash
  readonly userId: UserId
  /**
   * `AccountCredentials.passwordVersion` of the password that was checked. A sign-in that checked the old password
   * while it was being replaced may store its session later; with another version that session never counts.
   */
  readonly passwordVersion: number
  readonly createdAt: Timestamp
  /** Exclusive: this instant no longer counts. */
  readonly expiresAt: Timestamp
}

export const LIFETIME = 14 * DAY

/** A session that begins now. `hash` is that of the cookie's secret. Version 0: the account's first password. */
export const open = (hash: Vault.Hash, userId: UserId, now: Timestamp, passwordVersion = 0): Session => ({
  hash,
  userId,
  passwordVersion,
  createdAt: now,
  expiresAt: plus(now, LIFETIME)
})

/** Whether the session has not expired; at `expiresAt` it has. */
export const isLive = (session: Session, now: Timestamp): boolean => now < session.expiresAt

/** Whether the text has the form of `Entropy.secret`. Any other text needs no look-up. */
export const isCookie = (text: string): boolean => /^[0-9a-z]{52}$/.test(text)
