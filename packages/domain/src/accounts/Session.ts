// A signed-in browser. Decisions accounts-6 and accounts-17.
import { SessionId, type UserId, type Vault } from "../shared/index.js"
import { DAY, HOUR, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/** What the sign-in request said of the browser, for the owner's list of sessions. No decision uses these values. */
export interface Client {
  /** Such as "Firefox on Linux"; null when the request named no known browser. */
  readonly browser: string | null
  /** The network address; null for a session from before addresses were kept. */
  readonly address: string | null
}

/** A signed-in browser. Only the SHA-256 of its cookie is stored (decision A2). */
export interface Session extends Client {
  readonly hash: Vault.Hash
  readonly userId: UserId
  /**
   * `AccountCredentials.passwordVersion` of the password that was checked. A sign-in that checked the old password
   * while it was being replaced may store its session later; with another version that session never counts.
   */
  readonly passwordVersion: number
  /** The time of the sign-in. */
  readonly createdAt: Timestamp
  /** The time of the last renewal: the session was used then, and perhaps within the hour after it. */
  readonly seenAt: Timestamp
  /** When its owner last proved who they are: at the sign-in, and at each confirmation since. */
  readonly confirmedAt: Timestamp
  /** Exclusive: this instant no longer counts. */
  readonly expiresAt: Timestamp
}

/** How long a session stays valid after its last use. */
export const LIFETIME = 14 * DAY

/** How long a session stays valid after the sign-in, however much it is used, so that a stolen cookie stops working. */
export const LONGEST = 30 * DAY

/** The least time between two renewals of a session. Without it every request would write to the database. */
const RENEWED_EVERY = HOUR

const UNKNOWN: Client = { browser: null, address: null }

/** A session that begins now. `hash`: the SHA-256 of its cookie. Version 0: the account's first password. */
export const open = (
  hash: Vault.Hash,
  userId: UserId,
  now: Timestamp,
  passwordVersion = 0,
  { address, browser }: Client = UNKNOWN
): Session => ({
  hash,
  userId,
  passwordVersion,
  browser,
  address,
  createdAt: now,
  seenAt: now,
  confirmedAt: now,
  expiresAt: plus(now, LIFETIME)
})

/**
 * The session after a use at `now`. Undefined when the last renewal is less than an hour old, so that nothing has to be
 * stored.
 */
export const renewed = (session: Session, now: Timestamp): Session | undefined =>
  now - session.seenAt < RENEWED_EVERY
    ? undefined
    : {
        ...session,
        seenAt: now,
        expiresAt: plus(session.createdAt, Math.min(now - session.createdAt + LIFETIME, LONGEST))
      }

/** The session's id for its owner: a part of the digest, which distinguishes sessions and is no secret. */
export const idOf = ({ hash }: Pick<Session, "hash">): SessionId => SessionId.make(`ses_${hash.slice(0, 24)}`)

/** Whether the session has not expired; at `expiresAt` it has. */
export const isLive = (session: Session, now: Timestamp): boolean => now < session.expiresAt

/** How long a sign-in or a confirmation permits dangerous actions (decision accounts-17). */
export const FRESH_FOR = 15 * MINUTE

/** Whether the owner proved who they are in the last 15 minutes. Exclusive: at 15 minutes a new proof is needed. */
export const isFresh = ({ confirmedAt }: Pick<Session, "confirmedAt">, now: Timestamp): boolean =>
  now - confirmedAt < FRESH_FOR

/** Whether the text has the form of `Entropy.secret`. Any other text needs no look-up. */
export const isCookie = (text: string): boolean => /^[0-9a-z]{52}$/.test(text)
