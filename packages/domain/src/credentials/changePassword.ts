import { Effect, Option } from "effect"
import {
  type Account,
  AccountStore,
  choosePassword,
  newCookie,
  type SentForm,
  type Session,
  verifyPassword,
  WrongCredentials
} from "../accounts/index.js"
import { announceAudit } from "../audit/index.js"
import { NotFound, program, Timestamp, Vault } from "../shared/index.js"
import { CredentialStore } from "./CredentialStore.js"
import * as PasswordChange from "./PasswordChange.js"

export interface NewPassword {
  /**
   * The present password. A signed-in session is not enough, because somebody else may use a browser that was left
   * open.
   */
  readonly password: string
  readonly newPassword: Account.Password
  /** The network address of the request. */
  readonly address: string
  /** The cookie of a `KnownBrowser`, if the request has one. */
  readonly knownBrowser?: string | undefined
  /** The hash of the session that stays signed in. This session gets a new cookie. */
  readonly session: Session.Session["hash"]
  /** The form that was sent. When the form is sent twice, both answers have the same cookie. */
  readonly form?: SentForm
}

/**
 * Replaces the password, ends every other session and mails the owner. Returns the new cookie of the session that
 * stays; none when that session ended meanwhile. The check of the present password counts as an attempt to sign in.
 * Fails with:
 * - the errors of `verifyPassword`, from the check of the present password
 * - `Invalid` for a new password that attackers try first
 * - `WrongCredentials` when the password was replaced meanwhile
 * - `WrongCredentials` when the account was deleted or lost its e-mail address meanwhile, or `NotFound` if by now
 *   another account has the address and the same password
 */
export const changePassword = program("changePassword", function* (account: Account.Account, input: NewPassword) {
  const { address, form, knownBrowser, newPassword, password, session } = input
  const verified = yield* verifyPassword({ email: account.email, password, address, knownBrowser })
  // After the check of the session, the account may have been deleted or lost its e-mail address, and another account
  // may have got the address. Then `verifyPassword` has checked the other account.
  if (verified.account.id !== account.id) return yield* new NotFound({ what: "account" })
  const passwordHash = yield* choosePassword(newPassword, account, "new_password")
  const replaced = yield* (yield* CredentialStore).replacePassword(
    account.id,
    null,
    PasswordChange.change({ verified: verified.passwordVersion, passwordHash, keeps: session })
  )
  // Somebody replaced the password after `verifyPassword`, so the password that was typed is wrong now.
  if (!replaced) return yield* new WrongCredentials()
  yield* announceAudit(PasswordChange.changed(account, "password", yield* Timestamp.now))
  return yield* withNewCookie(account, { hash: session, passwordVersion: verified.passwordVersion + 1 }, form)
})

/**
 * Gives the session a new cookie. For an account without a second factor, the typed password also confirms the session
 * (`Session.confirmedAt`).
 */
const withNewCookie = (
  account: Account.Account,
  session: Pick<Session.Session, "hash" | "passwordVersion">,
  form: SentForm
) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const now = yield* Timestamp.now
    const found = yield* accounts.findSession(session.hash, now)
    if (Option.isNone(found)) return Option.none()
    const confirmedAt = (yield* accounts.hasFactor(account.id)) ? found.value.session.confirmedAt : now
    const cookie = yield* newCookie(form)
    const hash = (yield* Vault.Vault).sha256(cookie)
    const isConfirmed = yield* accounts.confirmSession(session, { hash, confirmedAt })
    return isConfirmed ? Option.some(cookie) : Option.none()
  })
