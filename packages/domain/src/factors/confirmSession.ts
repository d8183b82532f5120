import { Effect, Option } from "effect"
import {
  type Account,
  AccountStore,
  FactorRequired,
  newCookie,
  type SentForm,
  verifyPassword,
  WrongCredentials
} from "../accounts/index.js"
import { program, Timestamp, Vault } from "../shared/index.js"
import type { PasskeyResponse } from "./PasskeyVerifier.js"
import { proveWithCode, proveWithPasskey } from "./proveFactor.js"

export type IdentityProof =
  /** `code`: needed only for an account with a second factor; null when none was typed. */
  | { readonly _tag: "Password"; readonly password: string; readonly code: string | null }
  | { readonly _tag: "Passkey"; readonly response: PasskeyResponse }

export interface Confirming {
  readonly proof: IdentityProof
  /** The cookie of the session that is confirmed. */
  readonly cookie: string
  /** The network address of the request. */
  readonly address: string
  /** The cookie of a `KnownBrowser`, if the request has one. */
  readonly knownBrowser?: string | undefined
  /**
   * Identifies the form that the browser sent (`SentForm`). When the browser sends the form twice, both answers have
   * the same cookie.
   */
  readonly form?: SentForm
}

/**
 * Confirms the session: with the password, with the password and a code for an account with a second factor, or with a
 * passkey alone (decision accounts-17). Returns the session's new cookie: the old cookie, which may have been stolen,
 * opens nothing any more. A password counts as an attempt to sign in. Fails with:
 * - the errors of `verifyPassword`, when the check of a password fails
 * - `WrongFactor` for a wrong code or passkey, `TooManyAttempts` after too many wrong codes
 * - `FactorRequired` when the code is missing
 * - `WrongCredentials` when the session is over, or the password was replaced since the session began, even if the
 *   proof is right
 */
export const confirmSession = program("confirmSession", function* (account: Account.Account, input: Confirming) {
  const accounts = yield* AccountStore
  const hash = (yield* Vault.Vault).sha256(input.cookie)
  const { proof } = input
  const passwordVersion =
    proof._tag === "Password"
      ? yield* withPassword(account, proof, input)
      : yield* withPasskey(account, proof.response, hash)
  const cookie = yield* newCookie(input.form)
  const confirmed = { hash: (yield* Vault.Vault).sha256(cookie), confirmedAt: yield* Timestamp.now }
  const isConfirmed = yield* accounts.confirmSession({ hash, passwordVersion }, confirmed)
  return isConfirmed ? cookie : yield* new WrongCredentials()
})

const withPassword = (
  account: Account.Account,
  { code, password }: Extract<IdentityProof, { readonly _tag: "Password" }>,
  { address, knownBrowser }: Confirming
) =>
  Effect.gen(function* () {
    const verified = yield* verifyPassword({ email: account.email, password, address, knownBrowser })
    // After the check of the session, the account may have been deleted or may have lost its address, and another
    // account may have got the address.
    if (verified.account.id !== account.id) return yield* new WrongCredentials()
    if (yield* (yield* AccountStore).hasFactor(account.id)) {
      if (code === null) return yield* new FactorRequired({ pending: "" })
      yield* proveWithCode(verified, code, { address, knownBrowser })
    }
    return verified.passwordVersion
  })

const withPasskey = ({ id }: Account.Account, response: PasskeyResponse, hash: Vault.Hash) =>
  Effect.gen(function* () {
    const found = yield* (yield* AccountStore).findSession(hash, yield* Timestamp.now)
    if (Option.isNone(found)) return yield* new WrongCredentials()
    yield* proveWithPasskey(id, response, { _tag: "Confirm", userId: id }, { alone: true })
    return found.value.session.passwordVersion
  })
