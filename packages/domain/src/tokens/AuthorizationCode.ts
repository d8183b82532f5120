import type { RedirectUri } from "../apps/RedirectUri.js"
import type { AppId, ConnectionId, FamilyId, UserId, Vault } from "../shared/index.js"
import { MINUTE, type Timestamp } from "../shared/Timestamp.js"
import type { Challenge } from "./Pkce.js"
import type { Rotation } from "./TokenFamily.js"

/** An authorization code. It is valid for 60 seconds and for one exchange (Spec §2.1). */
export interface AuthorizationCode {
  readonly hash: Vault.Hash
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly redirectUri: RedirectUri
  readonly challenge: Challenge
  readonly createdAt: Timestamp
  /** The token family that the exchange started; null before the exchange. */
  readonly familyId: FamilyId | null
  /**
   * When the exchange took place, and the nonce and key with which it derived the refresh token. Null when the code was
   * not exchanged, or when the client sent no `Idempotency-Key`, so that the exchange cannot be repeated.
   */
  readonly exchange: Rotation | null
}

export const LIFETIME = MINUTE

/** Whether the code is younger than 60 s (Spec §2.1). */
export const isLive = (code: AuthorizationCode, now: Timestamp): boolean => now - code.createdAt < LIFETIME
