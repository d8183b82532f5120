// A signed-in browser. Decisions accounts-6 and accounts-17.
import { SessionId, type UserId, type Vault } from "../shared/index.js"
import { DAY, HOUR, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * The browser and address of the sign-in request, for the owner's list of sessions, the audit log and the mail about a
 * new browser. No check of a session uses these values.
 */
export interface Client {
  /** The browser and the operating system, such as "Firefox on Linux"; null when the service recognised neither. */
  readonly browser: string | null
  /** The network address; null for a session that was opened before the service stored addresses. */
  readonly address: string | null
}

/** A signed-in browser. Only the SHA-256 of its cookie is stored (decision A2). */
export interface Session extends Client {
  readonly hash: Vault.Hash
  readonly userId: UserId
  /**
   * `AccountCredentials.passwordVersion` when the sign-in was checked; after a change of the password in this session,
   * the new version. A sign-in may check the old password while somebody replaces the password, and store its session
   * afterwards. Such a session has the old version, so it is never valid.
   */
  readonly passwordVersion: number
  /** The time of the sign-in. */
  readonly createdAt: Timestamp
  /**
   * The time of the last renewal, or of the sign-in before the first renewal. A request renews the session at most once
   * an hour, so the last request may be up to an hour later.
   */
  readonly seenAt: Timestamp
  /** When the owner of the account last proved who they are: at the sign-in, or at a later confirmation. */
  readonly confirmedAt: Timestamp
  /** From this instant on, the session is not valid. */
  readonly expiresAt: Timestamp
}

/** How long a session stays valid after its last renewal, in milliseconds. */
export const LIFETIME = 14 * DAY

/**
 * The longest time from the sign-in to the end of a session, in milliseconds, even if the session is in use. So a
 * stolen cookie stops working.
 */
export const LONGEST = 30 * DAY

/**
 * The maximum number of sessions of one account. The list of an account's sessions has only one page, so the number of
 * sessions needs a limit.
 */
export const MOST = 200

/**
 * The shortest time between two renewals of a session, in milliseconds. Without this limit, every request would write
 * to the database.
 */
const RENEWED_EVERY = HOUR

const UNKNOWN: Client = { browser: null, address: null }

/**
 * A session that begins at `now`. `hash`: the SHA-256 of its cookie. The account's first password has the
 * `passwordVersion` 0.
 */
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
 * The session after a request at `now`. Undefined when the last renewal is less than an hour old: then nothing has to
 * be stored.
 */
export const renewed = (session: Session, now: Timestamp): Session | undefined =>
  now - session.seenAt < RENEWED_EVERY
    ? undefined
    : {
        ...session,
        seenAt: now,
        expiresAt: plus(session.createdAt, Math.min(now - session.createdAt + LIFETIME, LONGEST))
      }

/** The id of the session in its owner's list: the first part of `hash`. This part is no secret. */
export const idOf = ({ hash }: Pick<Session, "hash">): SessionId => SessionId.make(`ses_${hash.slice(0, 24)}`)

/** Whether the session has not expired. At `expiresAt` the session has expired. */
export const isLive = (session: Session, now: Timestamp): boolean => now < session.expiresAt

/** How long a sign-in or a confirmation permits dangerous actions, in milliseconds (decision accounts-17). */
export const FRESH_FOR = 15 * MINUTE

/**
 * Whether the owner proved who they are in the last 15 minutes. Exclusive: at 15 minutes a new proof is needed. A proof
 * whose time is more than 15 minutes in the future does not count, because it was made before the clock was set back.
 * Otherwise this proof would permit dangerous actions for longer than 15 minutes.
 */
export const isFresh = ({ confirmedAt }: Pick<Session, "confirmedAt">, now: Timestamp): boolean =>
  now - confirmedAt < FRESH_FOR && confirmedAt - now <= FRESH_FOR
