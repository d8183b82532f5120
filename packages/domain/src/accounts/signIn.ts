import { Duration, Effect, Option, Schema } from "effect"
import { Entropy, Timestamp, Vault, program } from "../shared/index.js"
import type { Email } from "./Account.js"
import { AccountStore } from "./AccountStore.js"
import { PasswordHasher } from "./PasswordHasher.js"
import * as Session from "./Session.js"
import * as SignInThrottle from "./SignInThrottle.js"

/** Wrong password or unknown e-mail; the answer does not say which (decision A2). Wire: 401 `not_signed_in`. */
export class WrongCredentials extends Schema.TaggedError<WrongCredentials>()("WrongCredentials", {}) {}

/** The throttle refused the attempt (decision A2). Wire: 429 `rate_limited` with `Retry-After`. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  retryAfterMillis: Schema.Positive
}) {}

export interface SignIn {
  readonly email: Email
  readonly password: string
  /** The request's address. An IPv6 address counts as its /64. */
  readonly address: string
  /** `Session.Client.browser`. */
  readonly browser?: string | null
}

/**
 * The account with this e-mail and password, and the hash that the password was compared with (decision A2).
 * `WrongCredentials` for a wrong password and for an unknown e-mail, after the same work; `TooManyAttempts` when the
 * throttle refuses, before any work.
 */
export const verifyPassword = program("verifyPassword", function* (input: SignIn) {
  const tried: SignInThrottle.SignInTry = {
    id: yield* Entropy.id("try"),
    email: input.email,
    address: SignInThrottle.network(input.address)
  }
  yield* admit(tried)
  // From here on the attempt counts, even when the client closes its connection.
  return yield* Effect.uninterruptible(settle(tried, input.password))
})

const settle = (tried: SignInThrottle.SignInTry, password: string) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const hasher = yield* PasswordHasher
    const credentials = yield* accounts.findByEmail(tried.email)
    const right = yield* Option.match(credentials, {
      onNone: () => Effect.as(hasher.waste, false),
      onSome: ({ passwordHash }) => hasher.verify(passwordHash, password)
    })
    if (Option.isNone(credentials) || !right) {
      yield* accounts.failTry(tried.id)
      return yield* new WrongCredentials()
    }
    yield* accounts.clearTries(tried)
    return credentials.value
  })

/** `verifyPassword` for callers that change nothing about the password. */
export const checkPassword = program("checkPassword", function* (input: SignIn) {
  return (yield* verifyPassword(input)).account
})

/** Waits while attempts in flight alone reach the limit: one person may use several browsers at once. */
const admit = (tried: SignInThrottle.SignInTry) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    for (const pause of PAUSES_MS) {
      const verdict = yield* accounts.admitTry(tried, SignInThrottle.decide)
      if (verdict._tag === "Admitted") return
      if (verdict._tag === "Closed") return yield* new TooManyAttempts({ retryAfterMillis: verdict.retryAfterMillis })
      yield* Effect.sleep(Duration.millis(pause))
    }
    return yield* new TooManyAttempts({ retryAfterMillis: Timestamp.SECOND })
  })

const PAUSES_MS = [100, 200, 400, 800, 1600]

/** Opens a session (decision A2). The cookie is returned once; only its SHA-256 is kept. Fails like `checkPassword`. */
export const signIn = program("signIn", function* (input: SignIn) {
  const { account, passwordVersion } = yield* verifyPassword(input)
  const cookie = yield* Entropy.secret
  const hash = (yield* Vault.Vault).sha256(cookie)
  const session = Session.open(hash, account.id, yield* Timestamp.now, passwordVersion, {
    browser: input.browser ?? null,
    address: input.address
  })
  yield* (yield* AccountStore).openSession(session)
  return { account, cookie, expiresAt: session.expiresAt }
})
