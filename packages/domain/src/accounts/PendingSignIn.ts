// A sign-in whose password was right and whose second factor is missing. Decision factors-8.
import { Effect, Option, Schema } from "effect"
import { UserId, Vault } from "../shared/index.js"
import { make, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * A sign-in whose password was right and whose second factor is missing. It gives no access: no route accepts it in
 * place of a session. The browser keeps it as a token that this service signed, so the service stores nothing for a
 * sign-in that nobody finishes.
 */
export interface PendingSignIn {
  readonly userId: UserId
  /**
   * The version of the password that was checked (`AccountCredentials.passwordVersion`). After a change of the
   * password, the person must sign in from the start.
   */
  readonly passwordVersion: number
  /** From this instant on, the pending sign-in is not valid. */
  readonly expiresAt: Timestamp
}

export const LIFETIME = 10 * MINUTE

/** A pending sign-in that begins at `now`. */
export const begin = (userId: UserId, passwordVersion: number, now: Timestamp): PendingSignIn => ({
  userId,
  passwordVersion,
  expiresAt: plus(now, LIFETIME)
})

const claims = ({ expiresAt, passwordVersion, userId }: PendingSignIn): string =>
  `${userId}.${passwordVersion}.${expiresAt}`

/** The token of a pending sign-in, signed with the present key. */
export const sign = (pending: PendingSignIn) =>
  Effect.gen(function* () {
    const vault = yield* Vault.Vault
    const signature = yield* Effect.orDie(vault.derive("pending-sign-in", vault.currentKey, claims(pending)))
    return `${claims(pending)}.${signature}.${vault.currentKey}`
  })

const TOKEN = /^([A-Za-z0-9_-]{1,64})\.(\d{1,9})\.(\d{1,15})\.([A-Za-z0-9_-]{43})\.(.{1,100})$/

/**
 * The pending sign-in of a token. None when the token was not signed with a key that this service has now, or when the
 * sign-in has expired.
 */
export const read = (token: string, now: Timestamp) =>
  Effect.gen(function* () {
    const [, userId = "", version = "", expires = "", mac = "", keyId = ""] = TOKEN.exec(token) ?? []
    if (!Schema.is(UserId)(userId)) return Option.none<PendingSignIn>()
    const pending = { userId, passwordVersion: Number(version), expiresAt: make(Number(expires)) }
    const isOurs = yield* Vault.isSigned("pending-sign-in", { keyId, mac, text: claims(pending) })
    return isOurs && now < pending.expiresAt ? Option.some<PendingSignIn>(pending) : Option.none<PendingSignIn>()
  })
