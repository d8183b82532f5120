import type { ConnectionId, FamilyId, UserId } from "../shared/Ids.js"
import { HOUR, SECOND, type Timestamp } from "../shared/Timestamp.js"
import type { Hash, KeyId } from "../shared/Vault.js"

/** A bearer credential of one connection (Spec §2.1). Only its SHA-256 is kept. */
export interface AccessToken {
  readonly hash: Hash
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly familyId: FamilyId
  readonly issuedAt: Timestamp
  readonly revokedAt: Timestamp | null
}

/** How a refresh token was spent, and what its child was made with. */
export interface Rotation {
  readonly at: Timestamp
  readonly nonce: string
  readonly keyId: KeyId
}

/**
 * A link of the chain. Once it was rotated its child is HMAC(key `keyId`, `nonce` and the token itself), so the head can be
 * given again inside the race window although only hashes are stored (decision O6).
 */
export interface RefreshToken {
  readonly hash: Hash
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly familyId: FamilyId
  readonly issuedAt: Timestamp
  /** Null while this is the head. */
  readonly rotation: Rotation | null
  readonly revokedAt: Timestamp | null
}

export const ACCESS_LIFETIME = HOUR
/** `expires_in` of the token response. */
export const ACCESS_LIFETIME_S = ACCESS_LIFETIME / SECOND
export const RACE_WINDOW = 30 * SECOND

/** Whether presenting a token again that was spent at `rotatedAt` is a race and not a leak (decision T3). */
export const isRace = (rotatedAt: Timestamp, now: Timestamp): boolean => now - rotatedAt <= RACE_WINDOW

/** Live while age < 3600 s (decision T3). */
export const accessIsLive = (token: AccessToken, now: Timestamp): boolean =>
  token.revokedAt === null && now - token.issuedAt < ACCESS_LIFETIME
