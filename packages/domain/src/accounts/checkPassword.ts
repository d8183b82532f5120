import { Duration, Effect, Option } from "effect"
import * as Entropy from "../shared/Entropy.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Email } from "./Account.js"
import { AccountStore } from "./AccountStore.js"
import { PasswordHasher } from "./PasswordHasher.js"
import { TooManyAttempts, WrongCredentials } from "./SignInErrors.js"
import * as SignInThrottle from "./SignInThrottle.js"

export interface SignIn {
  readonly email: Email
  readonly password: string
  /** Where the request came from; IPv6 counts by its /64. */
  readonly address: string
}

/**
 * Whose e-mail and password these are (decision A2). `WrongCredentials` for a wrong password and an unknown e-mail, after the same
 * work; `TooManyAttempts` when the door is closed, before any work.
 */
export const checkPassword = Effect.fn("checkPassword")(function* (input: SignIn) {
  const tried: SignInThrottle.SignInTry = {
    id: yield* Entropy.id("try"),
    email: input.email,
    address: SignInThrottle.network(input.address)
  }
  yield* admit(tried)
  // From here on the try counts. Whoever hangs up now has made it all the same.
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
    return credentials.value.account
  })

/**
 * Waits a moment while only other tries in flight stand in the way: one person may sign in from several browsers at once,
 * and many people from behind one address.
 */
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
