import { Option } from "effect"
import { type Account, AccountStore, choosePassword } from "../accounts/index.js"
import { announceAudit, AuditEvent } from "../audit/index.js"
import { Rate, Subject, takeCall } from "../limits/index.js"
import * as Mail from "../mail/Mail.js"
import { Entropy, NotFound, program, Timestamp, Vault } from "../shared/index.js"
import * as AccountLink from "./AccountLink.js"
import { CredentialStore } from "./CredentialStore.js"
import { dead, liveLink } from "./liveLink.js"
import * as PasswordChange from "./PasswordChange.js"

/**
 * Mails a link with which the owner of this address sets a new password. Does nothing when no account has the address,
 * or after three calls for the address in half an hour. After three calls, the newest link still works, unless it was
 * used. An unconfirmed address gets no mail. The caller must answer without waiting: the response time must not show if
 * a link was mailed.
 */
export const requestReset = program("requestReset", function* (email: Account.Email) {
  const vault = yield* Vault.Vault
  const standing = yield* takeCall(Subject.mailbox(vault.sha256(email)), Rate.LINKS)
  const found = yield* (yield* AccountStore).findByEmail(email)
  if (!standing.isAdmitted || Option.isNone(found)) return
  const secret = yield* Entropy.secret
  const link = AccountLink.make("password_reset", vault.sha256(secret), found.value.account, yield* Timestamp.now)
  const mail = PasswordChange.resetMail(link)
  const sealed = yield* vault.seal(secret, Mail.secretContext(mail))
  yield* (yield* CredentialStore).offerLink(link, { ...mail, secret: sealed })
})

/**
 * Makes a link with which the owner of this address sets a new password, and returns the link's secret. An operator
 * passes the link on when the owner cannot read mail, or when the service sends no mail. This program mails nothing.
 * Fails with `NotFound` when no account has the address.
 */
export const issueResetLink = program("issueResetLink", function* (email: Account.Email) {
  const found = yield* (yield* AccountStore).findByEmail(email)
  if (Option.isNone(found)) return yield* new NotFound({ what: "account" })
  const secret = yield* Entropy.secret
  const hash = (yield* Vault.Vault).sha256(secret)
  const now = yield* Timestamp.now
  const link = AccountLink.make("password_reset", hash, found.value.account, now)
  const event = AuditEvent.byOperator(link.userId, now, { kind: "reset_link_made" })
  if (!(yield* (yield* CredentialStore).offerLink(link, null, event))) return yield* new NotFound({ what: "account" })
  yield* announceAudit(event)
  return { secret, expiresAt: link.expiresAt }
})

/**
 * The account whose password the link sets, for the page that the link opens. Changes nothing, because mail scanners
 * also open links.
 */
export const describeReset = program("describeReset", function* (secret: string) {
  return (yield* liveLink(secret, "password_reset")).account
})

/**
 * Sets a new password and uses up the link. Every session of the account ends, and its owner gets a mail. Returns the
 * account. Fails with `NotFound` when the link does not work any more. Fails with `Invalid` for a password that
 * attackers try first; then the link still works.
 */
export const resetPassword = program("resetPassword", function* (secret: string, password: Account.Password) {
  const { account, link } = yield* liveLink(secret, "password_reset")
  const passwordHash = yield* choosePassword(password, account)
  const replaced = yield* (yield* CredentialStore).replacePassword(
    account.id,
    link.hash,
    PasswordChange.reset(passwordHash)
  )
  if (!replaced) return yield* dead()
  yield* announceAudit(PasswordChange.changed(account, "link", yield* Timestamp.now))
  return account
})
