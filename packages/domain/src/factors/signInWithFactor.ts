import { Effect, Option, Schema } from "effect"
import {
  type AccountCredentials,
  AccountStore,
  openSession,
  PendingSignIn,
  type SentForm,
  type Session
} from "../accounts/index.js"
import { program, Timestamp, type UserId } from "../shared/index.js"
import type { PasskeyResponse } from "./PasskeyVerifier.js"
import { proveWithCode, proveWithPasskey, WrongFactor } from "./proveFactor.js"

/**
 * The token of the pending sign-in is not valid or has expired, the password was replaced, or the account was deleted.
 * The person must begin again with the password.
 */
export class PendingOver extends Schema.TaggedError<PendingOver>()("PendingOver", {}) {
  override get message(): string {
    return "The sign-in must begin again with the password"
  }
}

export type FactorProof =
  | { readonly _tag: "Code"; readonly code: string }
  | { readonly _tag: "Passkey"; readonly response: PasskeyResponse }

export interface SecondStep {
  /** The token of the pending sign-in, from the field `pending` of `FactorRequired`. */
  readonly pending: string
  readonly proof: FactorProof
  /** The network address of the request. */
  readonly address: string
  readonly browser: Session.Client["browser"]
  /** The cookie of a `KnownBrowser`, if the request has one. */
  readonly knownBrowser?: string | undefined
  /**
   * Identifies the form that the browser sent (`SentForm`). When the browser sends the form twice, both answers have
   * the same cookie.
   */
  readonly form?: SentForm
}

/** The account and its password's present version. None when the account was deleted or got a new e-mail address. */
const credentialsOf = (userId: UserId) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const account = yield* accounts.find(userId)
    if (Option.isNone(account)) return Option.none()
    const credentials = yield* accounts.findByEmail(account.value.email)
    return Option.filter(credentials, (found) => found.account.id === userId)
  })

/**
 * The account whose sign-in is pending, for the page that asks for the second factor. Fails with `PendingOver` when the
 * token is not valid or has expired, the password was replaced, or the account was deleted.
 */
export const describePending = program("describePending", function* (token: string) {
  const pending = yield* PendingSignIn.read(token, yield* Timestamp.now)
  const owner = Option.isNone(pending) ? Option.none() : yield* credentialsOf(pending.value.userId)
  if (Option.isNone(pending) || Option.isNone(owner)) return yield* new PendingOver()
  if (owner.value.passwordVersion !== pending.value.passwordVersion) return yield* new PendingOver()
  return owner.value
})

/**
 * The second step of a sign-in: checks the factor and opens the session. Fails like `describePending`, with
 * `WrongFactor`, with `TooManyAttempts` after too many wrong codes, or with `Forbidden` for a suspended account. The
 * session is bound to the password of the first step: it is not valid when that password is replaced meanwhile or
 * later.
 */
export const finishSignIn = program("finishSignIn", function* (input: SecondStep) {
  const { address, browser, form, pending } = input
  const owner = yield* describePending(pending)
  const { codesLeft } = yield* prove(owner, input)
  return { ...(yield* openSession(owner, { address, browser }, form)), codesLeft }
})

const prove = (owner: AccountCredentials, { proof, ...attempt }: SecondStep) =>
  proof._tag === "Code"
    ? proveWithCode(owner, proof.code, attempt)
    : proveWithPasskey(
        owner.account.id,
        proof.response,
        { _tag: "SecondStep", userId: owner.account.id },
        { alone: false }
      )

/**
 * Signs in with a passkey in place of the password (decision factors-3). Fails with `WrongFactor` for any failed proof,
 * and with `Forbidden` for a suspended account.
 */
export const signInWithPasskey = program(
  "signInWithPasskey",
  function* (response: PasskeyResponse, client: Session.Client) {
    if (response.owner === null) return yield* new WrongFactor()
    // The version of the password is read before the proof. If the password is replaced during the proof, the session
    // has the old version and is not valid.
    const owner = yield* credentialsOf(response.owner)
    if (Option.isNone(owner)) return yield* new WrongFactor()
    yield* proveWithPasskey(response.owner, response, { _tag: "SignIn" }, { alone: true })
    return yield* openSession(owner.value, client)
  }
)
