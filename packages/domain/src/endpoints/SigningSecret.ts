// The secrets that sign an endpoint's webhooks (decision endpoints-5).
import type { AppId, EndpointId, Vault } from "../shared/index.js"
import { HOUR, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * A secret's text is `whsec_` and 256 random bits in base 32. The UTF-8 bytes of the text are the HMAC key
 * (decision W1). The text is shown once and stored encrypted.
 */
export interface SigningSecret {
  readonly sealed: Vault.Sealed
  readonly createdAt: Timestamp
  /**
   * The secret signs before this instant and no longer at this instant. Null for the newest secret, which signs without
   * an end.
   */
  readonly expiresAt: Timestamp | null
}

export const PREFIX = "whsec_"

/**
 * How long, in milliseconds, the previous secret still signs after a rotation, in addition to the new secret (Spec
 * §4.7).
 */
export const OVERLAP = 24 * HOUR

/** Whether the secret signs at `now`. At `expiresAt` the secret no longer signs. */
export const isLive = (secret: SigningSecret, now: Timestamp): boolean =>
  secret.expiresAt === null || now < secret.expiresAt

/**
 * The maximum number of secrets that sign one webhook. Receivers need not read more than this number of signatures
 * (Spec §6.4.4).
 */
export const MAX_LIVE = 8

/** The secrets that sign at `now`, newest first. Each secret makes a signature v1 (Spec §6.4.3). */
export const live = (secrets: ReadonlyArray<SigningSecret>, now: Timestamp): ReadonlyArray<SigningSecret> =>
  secrets.filter((secret) => isLive(secret, now))

/**
 * Adds the next secret. The secret that was the newest until now signs for another `OVERLAP`. Older secrets keep their
 * `expiresAt`, so a second rotation does not end them early. Secrets beyond `MAX_LIVE` are dropped, oldest first.
 */
export const rotate = (
  before: ReadonlyArray<SigningSecret>,
  sealed: Vault.Sealed,
  now: Timestamp
): ReadonlyArray<SigningSecret> =>
  [
    { sealed, createdAt: now, expiresAt: null },
    ...live(before, now).map((secret) =>
      secret.expiresAt === null ? { ...secret, expiresAt: plus(now, OVERLAP) } : secret
    )
  ].slice(0, MAX_LIVE)

/** Replaces all secrets by the next one. The old secrets stop signing immediately. */
export const replace = (sealed: Vault.Sealed, now: Timestamp): ReadonlyArray<SigningSecret> => [
  { sealed, createdAt: now, expiresAt: null }
]

/** When the last of the older secrets stops signing; null when only the newest secret signs. */
export const previousUntil = (secrets: ReadonlyArray<SigningSecret>, now: Timestamp): Timestamp | null =>
  live(secrets, now)
    .slice(1)
    .reduce<Timestamp | null>(
      (last, { expiresAt }) => (expiresAt !== null && expiresAt > (last ?? 0) ? expiresAt : last),
      null
    )

/**
 * Immediately ends every secret except the newest. `before` has the newest secret first. The result is `before` itself
 * when no earlier secret signs any more.
 */
export const endPrevious = (before: ReadonlyArray<SigningSecret>, now: Timestamp): ReadonlyArray<SigningSecret> =>
  previousUntil(before, now) === null ? before : before.slice(0, 1)

/**
 * The encryption context of a signing secret. A secret that somebody copies to the row of another endpoint cannot be
 * decrypted.
 */
export const sealContext = (appId: AppId, id: EndpointId): string => `signing-secret ${appId} ${id}`
