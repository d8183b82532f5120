import { Duration, Effect, Option, Schema } from "effect"
import { announceAudit, AuditEvent, recordAudit } from "../audit/index.js"
import { network } from "../limits/Network.js"
import { Entropy, Forbidden, Timestamp, type UserId, Vault, program } from "../shared/index.js"
import { type Account, type Email, isPerson } from "./Account.js"
import { AccountStore } from "./AccountStore.js"
import { PasswordHasher } from "./PasswordHasher.js"
import { newCookie, type SentForm } from "./forms.js"
import * as KnownBrowser from "./KnownBrowser.js"
import * as PendingSignIn from "./PendingSignIn.js"
import * as Session from "./Session.js"
import * as SignInThrottle from "./SignInThrottle.js"

/**
 * The password is wrong or the e-mail is unknown; the answer does not say which (decision A2). The error has two more
 * causes: the session that a person wants to confirm is over, or somebody replaced the password during the check. Wire:
 * 401 `not_signed_in` at the sign-in; 403 when a signed-in person, or a person who confirms a sign-up, proves who they
 * are.
 */
export class WrongCredentials extends Schema.TaggedError<WrongCredentials>()("WrongCredentials", {}) {
  override get message(): string {
    return "The e-mail is unknown, or the password is wrong"
  }
}

/** The throttle refused the attempt (decision A2). Wire: 429 `rate_limited` with `Retry-After`. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  retryAfterMillis: Schema.Positive,
  /** Whether the refused attempt was made with a password or with a code. */
  proof: Schema.Literal("password", "code")
}) {
  override get message(): string {
    return "There were too many attempts to sign in"
  }
}

/** The reason in the `Forbidden` of a suspended account (decision staff-1). */
const SUSPENDED =
  "This account is suspended: those who run this service paused it. Nothing is deleted. Ask them why, and for how long"

/**
 * The password was right, and the account has a second factor (decision factors-8). Nobody is signed in. Wire: 403
 * `second_factor_required`.
 */
export class FactorRequired extends Schema.TaggedError<FactorRequired>()("FactorRequired", {
  /**
   * The signed `PendingSignIn`, which the second step of the sign-in needs. Empty when `confirmSession` fails with this
   * error, because the person is signed in already.
   */
  pending: Schema.String
}) {
  override get message(): string {
    return "The account has a second factor, which must be proved too"
  }
}

export interface SignIn {
  readonly email: Email
  readonly password: string
  /** The network address of the request. The throttle counts all IPv6 addresses of one /64 together. */
  readonly address: string
  /**
   * The name of the browser for the owner's list of sessions, such as "Firefox on Linux" (`Session.Client.browser`).
   */
  readonly browser?: string | null
  /** The cookie of a `KnownBrowser`, if the request has one. */
  readonly knownBrowser?: string | undefined
}

/**
 * The credentials of the account with this e-mail and password (decision A2).
 *
 * Fails with:
 * - `TooManyAttempts` when the throttle refuses, before the password is checked
 * - `WrongCredentials` when the password is wrong, when no account has the e-mail, and when the account does not belong
 *   to a person: the three cases take the same time, so that nobody learns who has an account
 * - `Forbidden` for a suspended account, but only after the right password, so that nobody else learns of the
 *   suspension
 */
export const verifyPassword = program("verifyPassword", function* (input: SignIn) {
  const known = yield* knownTo(input)
  const tried = yield* newTry(input.email, input.address, known?.id ?? null)
  const fills = yield* admit(tried, "password")
  // The check of the password must not stop when the client closes its connection: the attempt is counted already, and
  // would then count as a failure even with the right password.
  return yield* Effect.uninterruptible(settle(tried, input.password, fills))
})

/**
 * A new attempt to sign in, with a new id, as the record that the throttle (`SignInThrottle`) counts. `address`: the
 * network address of the request.
 */
export const newTry = program(
  "newTry",
  function* (email: Email, address: string, browser: SignInThrottle.SignInTry["browser"]) {
    const attempt: SignInThrottle.SignInTry = {
      id: yield* Entropy.id("try"),
      email,
      address: network(address),
      browser
    }
    return attempt
  }
)

/**
 * The browser of the request's cookie, if it is known to the account with this e-mail; otherwise undefined. The
 * function looks the account up only when this service signed the cookie. So a stranger, who has no signed cookie,
 * cannot tell from the response time whether the e-mail has an account.
 */
const knownTo = ({ email, knownBrowser }: Pick<SignIn, "email" | "knownBrowser">) =>
  Effect.gen(function* () {
    const entries = knownBrowser === undefined ? [] : yield* KnownBrowser.readCookie(knownBrowser)
    if (entries.length === 0) return undefined
    const owner = yield* (yield* AccountStore).findByEmail(email)
    return Option.isNone(owner) ? undefined : KnownBrowser.entryOf(entries, owner.value)
  })

const settle = (
  tried: SignInThrottle.SignInTry,
  password: string,
  fills: ReadonlyArray<SignInThrottle.ThrottleScope>
) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const hasher = yield* PasswordHasher
    const found = yield* accounts.findByEmail(tried.email)
    const credentials = Option.filter(found, ({ account }) => isPerson(account))
    const right = yield* Option.match(credentials, {
      onNone: () => Effect.as(hasher.waste(password), false),
      onSome: ({ passwordHash }) => hasher.verify(passwordHash, password)
    })
    if (Option.isNone(credentials) || !right) {
      yield* accounts.failTry(tried.id)
      yield* recordFailure(Option.getOrNull(Option.map(credentials, ({ account }) => account.id)), tried, fills)
      return yield* new WrongCredentials()
    }
    yield* accounts.clearTries(tried)
    if (credentials.value.account.suspendedAt !== null) return yield* new Forbidden({ reason: SUSPENDED })
    return credentials.value
  })

/**
 * Writes a failed attempt to the audit log, and a lock-out for each limit in `fills` that is still reached. A limit is
 * no longer reached when another attempt has succeeded meanwhile, because a success clears the failures before it.
 * `userId` is null when no account has the e-mail. The e-mail is not recorded, because people sometimes type their
 * password into the field for the e-mail.
 */
export const recordFailure = program(
  "recordFailure",
  function* (
    userId: UserId | null,
    tried: SignInThrottle.SignInTry,
    fills: ReadonlyArray<SignInThrottle.ThrottleScope>
  ) {
    const actor = AuditEvent.STRANGER
    yield* recordAudit({ userId, actor, detail: { kind: "sign_in_failed", network: tried.address } })
    let reached: typeof fills = []
    if (fills.length > 0) {
      // `admitTry` stores no attempt when the answer is "Busy", so this call only reads the recent attempts.
      yield* (yield* AccountStore).admitTry(tried, (recent, now) => {
        reached = SignInThrottle.reached(recent, 0, now)
        return { _tag: "Busy" }
      })
    }
    for (const scope of fills.filter((one) => reached.includes(one))) {
      yield* recordAudit({ userId, actor, detail: { kind: "locked_out", scope, network: tried.address } })
    }
  }
)

/** Like `verifyPassword`, but returns only the account, for callers that do not need the hash of the password. */
export const checkPassword = program("checkPassword", function* (input: SignIn) {
  return (yield* verifyPassword(input)).account
})

/**
 * Stores the attempt if the throttle admits it, and returns the limits that are reached if the attempt fails. When a
 * limit is reached only because of attempts whose result is not known yet, the program waits and tries again, for up to
 * 3.1 s, because one person may sign in with several browsers at once. Fails with `TooManyAttempts` when the throttle
 * refuses.
 */
export const admit = program("admit", function* (tried: SignInThrottle.SignInTry, proof: TooManyAttempts["proof"]) {
  const accounts = yield* AccountStore
  for (const pause of PAUSES_MS) {
    if (pause > 0) yield* Effect.sleep(Duration.millis(pause))
    let fills: ReadonlyArray<SignInThrottle.ThrottleScope> = []
    const verdict = yield* accounts.admitTry(tried, (recent, now) => {
      fills = SignInThrottle.reached(recent, 1, now)
      return SignInThrottle.decide(recent, now)
    })
    if (verdict._tag === "Admitted") return fills
    if (verdict._tag === "Closed")
      return yield* new TooManyAttempts({ retryAfterMillis: verdict.retryAfterMillis, proof })
  }
  return yield* new TooManyAttempts({ retryAfterMillis: Timestamp.SECOND, proof })
})

/**
 * The pauses of `admit`, in milliseconds. After each pause `admit` asks the throttle, until the throttle admits or
 * refuses the attempt. If it has done neither after the last pause, `admit` refuses the attempt.
 */
const PAUSES_MS = [0, 100, 200, 400, 800, 1600]

/**
 * Opens a session for a person who proved who they are, and returns its cookie, of which only the SHA-256 is stored.
 * `form`: the form from which the cookie is derived (`newCookie`). Fails with `Forbidden` for a suspended account. The
 * suspension is checked here because every way to sign in calls this program.
 */
export const openSession = program(
  "openSession",
  function* (
    owner: { readonly account: Account; readonly passwordVersion: number },
    client: Session.Client,
    form?: SentForm
  ) {
    if (owner.account.suspendedAt !== null) return yield* new Forbidden({ reason: SUSPENDED })
    const cookie = yield* newCookie(form)
    const hash = (yield* Vault.Vault).sha256(cookie)
    const session = Session.open(hash, owner.account.id, yield* Timestamp.now, owner.passwordVersion, client)
    const event: AuditEvent.AuditEvent = {
      at: session.createdAt,
      userId: owner.account.id,
      actor: AuditEvent.OWNER,
      detail: { kind: "sign_in", browser: client.browser, network: client.address && network(client.address) }
    }
    yield* (yield* AccountStore).openSession(session, event)
    yield* announceAudit(event)
    return { account: owner.account, cookie, expiresAt: session.expiresAt, passwordVersion: owner.passwordVersion }
  }
)

/**
 * Opens a session with the password (decision A2). Fails like `checkPassword`, and with `FactorRequired` for an account
 * that has a second factor.
 */
export const signIn = program("signIn", function* (input: SignIn) {
  const owner = yield* verifyPassword(input)
  if (yield* (yield* AccountStore).hasFactor(owner.account.id)) {
    const pending = PendingSignIn.begin(owner.account.id, owner.passwordVersion, yield* Timestamp.now)
    return yield* new FactorRequired({ pending: yield* PendingSignIn.sign(pending) })
  }
  return yield* openSession(owner, { browser: input.browser ?? null, address: input.address })
})
