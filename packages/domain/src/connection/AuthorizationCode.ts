import type { RedirectUri } from "../apps/RedirectUri.js"
import type { AppId, ConnectionId, FamilyId, UserId } from "../shared/Ids.js"
import { MINUTE, type Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"
import type { Challenge } from "./Pkce.js"
import type { Rotation } from "./TokenFamily.js"

/** Valid 60 seconds, single use (Spec §2.1). */
export interface AuthorizationCode {
  readonly hash: Hash
  readonly userId: UserId
  readonly connectionId: ConnectionId
  readonly appId: AppId
  readonly redirectUri: RedirectUri
  readonly challenge: Challenge
  readonly createdAt: Timestamp
  /** The family that it was exchanged for; null while unused. */
  readonly familyId: FamilyId | null
  /** When it was exchanged, and what the refresh token was derived with; null while unused, or when an older version exchanged it. */
  readonly exchange: Rotation | null
}

export const LIFETIME = MINUTE

/** Younger than 60 s (Spec §2.1). */
export const isLive = (code: AuthorizationCode, now: Timestamp): boolean => now - code.createdAt < LIFETIME
