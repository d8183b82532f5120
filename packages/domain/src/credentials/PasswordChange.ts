// Replacing a password, by its owner or by a link. Decisions accounts-9 and accounts-10.
import type { Account } from "../accounts/Account.js"
import * as AuditEvent from "../audit/AuditEvent.js"
import { NOT_YOU } from "../mail/Advice.js"
import type { Link, MailMessage } from "../mail/Mail.js"
import { type Vault, Words } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as AccountLink from "./AccountLink.js"

/** The state by which a change of the credentials is decided, read under the lock of the account. */
export interface CredentialState {
  readonly account: Account
  readonly passwordVersion: number
  /** The link that the person opened. Null: the change is made without a link, or the link was deleted. */
  readonly link: AccountLink.AccountLink | null
}

/**
 * Everything that a change of the password commits in one transaction. The store also deletes the links of the account
 * (except those of `AccountLink.outlivesPassword`), and failed attempts to sign in no longer count against the account:
 * an owner who has proved who they are must not wait because a stranger guesses passwords.
 */
export interface PasswordReplacement {
  readonly passwordHash: string
  /** The session of the browser that changes the password: this session stays. Null: every session ends. */
  readonly keeps: Vault.Hash | null
  readonly notice: MailMessage
  readonly audit: AuditEvent.AuditEvent
}

/**
 * Sets a new password for an owner who typed the old one in a session. Null when somebody replaced the password after
 * the old one was checked: then the owner did not type the present password.
 */
export const change =
  (request: { readonly verified: number; readonly passwordHash: string; readonly keeps: Vault.Hash }) =>
  ({ account, passwordVersion }: CredentialState, now: Timestamp): PasswordReplacement | null =>
    passwordVersion === request.verified
      ? {
          passwordHash: request.passwordHash,
          keeps: request.keeps,
          notice: changedMail(account, now),
          audit: changed(account, "password", now)
        }
      : null

/**
 * Sets a new password through a link that was mailed to the owner or passed on by an operator. Null when the link is no
 * longer valid.
 */
export const reset =
  (passwordHash: string) =>
  ({ account, link }: CredentialState, now: Timestamp): PasswordReplacement | null =>
    link !== null && AccountLink.isLive(link, "password_reset", account, now)
      ? { passwordHash, keeps: null, notice: resetDoneMail(account, now), audit: changed(account, "link", now) }
      : null

/** The audit event of a changed password. `how`: whether the owner gave the old password, or used a link. */
export const changed = ({ id }: Account, how: "password" | "link", at: Timestamp) =>
  AuditEvent.byOwner(id, at, { kind: "password_changed", how })

const FORGOTTEN: Link = { site: "service", path: "/forgot-password", label: "Set a new password" }

const changedMail = ({ id }: Account, now: Timestamp): MailMessage => ({
  to: id,
  dedupeKey: `password_changed ${now}`,
  subject: "Your password was changed",
  body: [
    `On ${Words.moment(now)} your password was changed, by somebody who was signed in and knew the old one. Every other browser was signed out.`,
    NOT_YOU
  ].join("\n\n"),
  link: FORGOTTEN
})

const resetDoneMail = ({ id }: Account, now: Timestamp): MailMessage => ({
  to: id,
  dedupeKey: `password_reset_done ${now}`,
  subject: "Your password was changed",
  body: [
    `On ${Words.moment(now)} a new password was set by a link. We mailed the link to you, or the operators of this service gave it to you. Every browser was signed out: sign in with the new password.`,
    NOT_YOU
  ].join("\n\n"),
  link: FORGOTTEN
})

/** The mail with a link that sets a new password. The caller adds the encrypted secret of the link. */
export const resetMail = (link: AccountLink.AccountLink): MailMessage => ({
  to: link.userId,
  // A part of the digest distinguishes two links of the same moment, and is no secret.
  dedupeKey: `password_reset ${link.createdAt} ${link.hash.slice(0, 12)}`,
  subject: "Set a new password",
  body: [
    `Somebody asked for a new password for your account, ${link.email}. If it was you, open the link. It works once, until ${Words.moment(link.expiresAt)}, and signs you out everywhere.`,
    "If it was not you, do nothing: your password stays as it is. Nobody can use the link who cannot read your mail. Never pass it on."
  ].join("\n\n"),
  link: { site: "service", path: "/reset-password?token=", label: "Set a new password" }
})
