import { AccountStore, PasswordHasher, type SignInThrottle } from "@place-access/domain/accounts"
import { LimitStore, Rate, Subject, takeCall } from "@place-access/domain/limits"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { Context, Effect, Layer } from "effect"
import type { Places } from "./Admission.js"
import * as CurrentRequest from "./CurrentRequest.js"

/**
 * Keeps attempts to sign in, or to confirm a session, from slowing other requests down (decisions limits-2 and
 * limits-11). An attempt may pause until the results of other attempts are known, and then waits for its turn to hash.
 * If attempts kept their places in admission control (`Admission`) meanwhile, one client that signs in again and again
 * could take every place. So this module has a second set of places. At its first attempt, a request leaves its place
 * in admission control and takes a place of this second set.
 */

/** How many requests with an attempt the service works on at the same time, and how many of them at one account. */
const MOST = 64
const MOST_OF_ACCOUNT = 16

/** The time after which a caller may try again when no place is free. */
const FULL: SignInThrottle.ThrottleVerdict = { _tag: "Closed", retryAfterMillis: Timestamp.SECOND }

/**
 * The second set of places. `of` returns the places that the requests with the same key may take. The key is the id of
 * a known browser, or else the e-mail address that the attempt names; without an attempt, it is `NO_ATTEMPT`.
 */
class AttemptPlaces {
  private taken = 0
  private readonly takenBy = new Map<string, number>()

  of(key: string): Places {
    const change = (by: 1 | -1) => {
      const ofKey = (this.takenBy.get(key) ?? 0) + by
      this.taken += by
      if (ofKey === 0) this.takenBy.delete(key)
      else this.takenBy.set(key, ofKey)
    }
    return {
      isFull: this.taken >= MOST || (this.takenBy.get(key) ?? 0) >= MOST_OF_ACCOUNT,
      takeAnyway: () => change(1),
      release: () => change(-1)
    }
  }
}

/**
 * The key (see `AttemptPlaces.of`) for hashes that belong to no attempt to sign in, such as the hash of a new password.
 */
const NO_ATTEMPT = ""

/**
 * An `AccountStore` and a `PasswordHasher` for requests. `admitTry` refuses an attempt when no place is free for the
 * attempt, or when there were too many attempts from the same network or at the same account. A request that hashes a
 * password without such an attempt, for example a sign-up, also moves to a place of this module if one is free.
 */
export const layer: Layer.Layer<
  AccountStore | PasswordHasher,
  never,
  AccountStore | PasswordHasher | LimitStore | Vault.Vault
> = Layer.effectContext(
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const hasher = yield* PasswordHasher
    const { sha256 } = yield* Vault.Vault
    const limits = yield* LimitStore
    const places = new AttemptPlaces()
    // A request counts as one attempt, although it asks the throttle again while its attempt pauses, and may try both a
    // password and a code.
    const counted = new WeakSet<CurrentRequest.Cell>()

    /** How many milliseconds must pass until the rates allow another attempt. 0 when the rates allow this attempt. */
    const untilAllowed = ({ address, browser, email }: SignInThrottle.SignInTry) => {
      const account = sha256(`sign-in ${email}`)
      // The attempts of known browsers have a separate count. Attempts of strangers do not add to this count, even in
      // the same network. So strangers cannot lock a known browser out (decision accounts-14).
      const rates =
        browser === null
          ? ([
              [address, Rate.SIGN_INS],
              [account, Rate.SIGN_INS_OF_ACCOUNT]
            ] as const)
          : ([[`known ${account}`, Rate.SIGN_INS_OF_ACCOUNT]] as const)
      return Effect.reduce(rates, 0, (wait, [name, rate]) =>
        wait > 0
          ? Effect.succeed(wait)
          : Effect.map(takeCall(Subject.signIn(name), rate), (one) => (one.isAdmitted ? 0 : one.resetMillis))
      ).pipe(Effect.provideService(LimitStore, limits))
    }

    const admitTry: typeof accounts.admitTry = (tried, decide) =>
      CurrentRequest.cellWith((cell) => {
        if (cell.place?.moveTo(places.of(tried.browser ?? tried.email)) === false) return Effect.succeed(FULL)
        const isFirst = !counted.has(cell)
        counted.add(cell)
        return Effect.flatMap(isFirst ? untilAllowed(tried) : Effect.succeed(0), (retryAfterMillis) =>
          retryAfterMillis > 0
            ? Effect.succeed<SignInThrottle.ThrottleVerdict>({ _tag: "Closed", retryAfterMillis })
            : accounts.admitTry(tried, decide)
        )
      })

    const hashing = <A>(hash: Effect.Effect<A>): Effect.Effect<A> =>
      CurrentRequest.cellWith((cell) => {
        cell.place?.moveTo(places.of(NO_ATTEMPT))
        return hash
      })

    return Context.make(AccountStore, { ...accounts, admitTry }).pipe(
      Context.add(PasswordHasher, {
        ...hasher,
        hash: (password) => hashing(hasher.hash(password)),
        verify: (hash, password) => hashing(hasher.verify(hash, password)),
        waste: (password) => hashing(hasher.waste(password))
      })
    )
  })
)
