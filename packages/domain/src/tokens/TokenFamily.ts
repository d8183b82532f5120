import type { ConnectionId, FamilyId, UserId, Vault } from "../shared/index.js"
import { HOUR, SECOND, type Timestamp } from "../shared/Timestamp.js"

/**
 * An access token of one connection (Spec §2.1). Only its SHA-256 is stored. It works for `ACCESS_LIFETIME`, and only
 * while its family is the present family of the connection.
 */
export interface AccessToken {
  readonly hash: Vault.Hash
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly familyId: FamilyId
  readonly issuedAt: Timestamp
  readonly revokedAt: Timestamp | null
}

/**
 * When a refresh token (or a code, at its exchange) was spent, and the nonce and key with which the next refresh token
 * was derived.
 */
export interface Rotation {
  readonly at: Timestamp
  readonly nonce: string
  readonly keyId: Vault.KeyId
}

/**
 * A refresh token. Each refresh spends the token and issues the next one, so the tokens of a family form a chain. The
 * last token of the chain, the head, is unspent. The next token is HMAC(key `keyId`, `nonce` and the spent token). A
 * client that lost the answer presents the spent token again. From this token, the service can derive the head again,
 * although only hashes are stored (decision O6).
 */
export interface RefreshToken {
  readonly hash: Vault.Hash
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly familyId: FamilyId
  readonly issuedAt: Timestamp
  /** How the token was spent; null for the head. */
  readonly rotation: Rotation | null
  /**
   * When the family ended. Only the head has this time, because a family can have any number of spent tokens, and a
   * write to each of them would be slow (decision O6).
   */
  readonly revokedAt: Timestamp | null
}

export const ACCESS_LIFETIME = HOUR
/** The field `expires_in` of the token response. */
export const ACCESS_LIFETIME_S = ACCESS_LIFETIME / SECOND
export const RACE_WINDOW = 30 * SECOND
/**
 * The clocks of two servers differ by less than this, in milliseconds. So the stored time of a token of a code's family
 * may be before the stored time of the code's exchange.
 */
export const CLOCK_SKEW = 10 * SECOND

/**
 * Whether a spent token that is presented again at `now` counts as a retry after a lost answer, and not as leaked
 * (decision T3). `rotatedAt` is when the token was spent.
 */
export const isRace = (rotatedAt: Timestamp, now: Timestamp): boolean => now - rotatedAt <= RACE_WINDOW

/** Whether the access token is live: not revoked and younger than 3600 s (decision T3). */
export const accessIsLive = (token: AccessToken, now: Timestamp): boolean =>
  token.revokedAt === null && now - token.issuedAt < ACCESS_LIFETIME
