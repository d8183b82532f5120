import type { AppId, EndpointId } from "../shared/Ids.js"
import { HOUR, plus, type Timestamp } from "../shared/Timestamp.js"
import type { Sealed } from "../shared/Vault.js"

/**
 * `whsec_` and 32 random bytes. The HMAC key is the UTF-8 bytes of the whole text (decision W1). Shown once, at rest
 * encrypted.
 */
export interface SigningSecret {
  readonly sealed: Sealed
  readonly createdAt: Timestamp
  /** Exclusive; null for the newest. */
  readonly expiresAt: Timestamp | null
}

export const PREFIX = "whsec_"

/** How long the old secret signs too after a rotation (Spec §4.7). */
export const OVERLAP = 24 * HOUR

/** Until the moment of its expiry, if it has one, and not at it. */
export const isLive = (secret: SigningSecret, now: Timestamp): boolean =>
  secret.expiresAt === null || now < secret.expiresAt

/** Receivers need not read more signatures than this (Spec §6.4.4). */
export const MAX_LIVE = 8

/** Those that sign now, newest first: one v1 each (Spec §6.4.3). */
export const live = (secrets: ReadonlyArray<SigningSecret>, now: Timestamp): ReadonlyArray<SigningSecret> =>
  secrets.filter((secret) => isLive(secret, now))

/**
 * The newest first; the one before it signs for another day, older ones no longer than they had, so that rotating twice in
 * a hurry breaks no promise. More than `MAX_LIVE` are cut from the old end.
 */
export const rotate = (
  before: ReadonlyArray<SigningSecret>,
  sealed: Sealed,
  now: Timestamp
): ReadonlyArray<SigningSecret> =>
  [
    { sealed, createdAt: now, expiresAt: null },
    ...live(before, now).map((secret) =>
      secret.expiresAt === null ? { ...secret, expiresAt: plus(now, OVERLAP) } : secret
    )
  ].slice(0, MAX_LIVE)

/** What a sealed secret is bound to: moved to another endpoint it does not unseal. */
export const sealContext = (appId: AppId, id: EndpointId): string => `signing-secret ${appId} ${id}`
