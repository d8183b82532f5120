// Confirming an address, changing it and undoing the change. Decisions accounts-11 and accounts-13.
//
// An address changes in two steps. A signed-in person asks for the change. Then the person opens a link that was mailed
// to the new address, in a session of the same account. The old address, if it counts as confirmed, gets a link that
// undoes the change.
//
// A thief who took an account over can change its address several times, and gets undo links too. So an undo deletes
// every link of the account except the older undo links. The owner's link is the oldest: no undo of the thief deletes
// it, and when the owner uses it, the thief's links stop working.
import { type Account, type AddressRule, countsAsConfirmed, type Email } from "../accounts/Account.js"
import * as AuditEvent from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import { type Vault, Words } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import * as AccountLink from "./AccountLink.js"
import type { CredentialState } from "./PasswordChange.js"

/** The state by which a change of the address is decided, read under the lock of the account. */
export interface AddressState extends CredentialState {
  /** How often the address of the account was confirmed, changed or restored. */
  readonly addressVersion: number
}

/**
 * Everything that a change of the address commits in one transaction. The store also raises the version of the address.
 */
export interface AddressReplacement {
  readonly email: Email
  readonly confirmedAt: Timestamp | null
  /** Undo links with a smaller `addressVersion` stay. Every other link of the account is deleted. */
  readonly keepsUndoBelow: number
  /** The link that undoes this change; null: no link is made. */
  readonly undo: AccountLink.AccountLink | null
  /** If not null, the store also sets this password and ends every session, as after a reset of the password. */
  readonly passwordHash: string | null
  readonly mails: ReadonlyArray<MailMessage>
  readonly audit: AuditEvent.AuditEvent
}

/**
 * The hash and the secret of a new link that undoes a change. `confirmAddress` makes both before the store locks the
 * account and calls `confirm`, which may refuse the change.
 */
export interface FreshUndo {
  readonly hash: Vault.Hash
  /** The link's secret, encrypted for the mail that has the key `undoKey`. */
  readonly sealed: Vault.Sealed
}

/**
 * The `dedupeKey` of the mail with the undo link. `confirmAddress` needs this key to encrypt the link's secret
 * (`Mail.secretContext`), before the store locks the account and reads the time of the change. So the key contains a
 * part of the hash, and not this time.
 */
export const undoKey = (hash: Vault.Hash): string => `address_changed ${hash.slice(0, 24)}`

const confirmedNow = (rule: AddressRule, now: Timestamp): Timestamp | null => (rule === "confirmed" ? now : null)

/** Confirms or changes the address through a link opened in a session of the account. Null: the link is not valid. */
export const confirm =
  (rule: AddressRule, fresh: FreshUndo) =>
  ({ account, addressVersion, link }: AddressState, now: Timestamp): AddressReplacement | null => {
    if (link === null) return null
    if (AccountLink.isLive(link, "address_confirmation", account, now)) {
      return {
        email: account.email,
        confirmedAt: account.confirmedAt ?? confirmedNow(rule, now),
        keepsUndoBelow: addressVersion,
        undo: null,
        passwordHash: null,
        mails: [],
        audit: event(account, "address_confirmed", now)
      }
    }
    if (!AccountLink.isLive(link, "address_change", account, now) || link.newEmail === null) return null
    // An old address that was never confirmed may belong to a stranger, so it gets no undo link.
    const undo = countsAsConfirmed(account, rule)
      ? AccountLink.make("address_undo", fresh.hash, account, now, { addressVersion })
      : null
    return {
      email: link.newEmail,
      confirmedAt: confirmedNow(rule, now),
      keepsUndoBelow: addressVersion,
      undo,
      passwordHash: null,
      mails: undo === null ? [] : [{ ...changedMail(undo, link.newEmail), secret: fresh.sealed }],
      audit: event(account, "address_changed", now)
    }
  }

/** Undoes an address change through a link that was mailed to the old address. Null: the link is not valid. */
export const undo =
  (rule: AddressRule, passwordHash: string) =>
  ({ account, link }: AddressState, now: Timestamp): AddressReplacement | null =>
    link !== null && AccountLink.isLive(link, "address_undo", account, now)
      ? {
          email: link.email,
          confirmedAt: confirmedNow(rule, now),
          keepsUndoBelow: link.addressVersion,
          undo: null,
          passwordHash,
          mails: [undoneMail(link, now)],
          audit: event(account, "address_restored", now)
        }
      : null

type AddressEvent = "address_confirmed" | "address_changed" | "address_restored"

/** The audit event of a confirmed, changed or restored address. */
export const event = ({ id }: Account, kind: AddressEvent, at: Timestamp): AuditEvent.AuditEvent => ({
  at,
  userId: id,
  actor: AuditEvent.OWNER,
  detail: { kind }
})

const keyOf = (kind: string, { createdAt, hash }: AccountLink.AccountLink): string =>
  // A part of the digest distinguishes two links of the same moment, and is no secret.
  `${kind} ${createdAt} ${hash.slice(0, 12)}`

/** The mail with a link that confirms an address. The caller adds the encrypted secret of the link. */
export const confirmMail = (link: AccountLink.AccountLink): MailMessage => ({
  to: link.userId,
  address: link.newEmail ?? link.email,
  dedupeKey: keyOf("address", link),
  subject: "Confirm your e-mail address",
  body: [
    link.newEmail === null
      ? `Open this link to confirm ${link.email}, in a browser in which you are signed in. It works once, until ${Words.moment(link.expiresAt)}.`
      : `Somebody wants to use this address, ${link.newEmail}, for their account. If it was you, open the link in a browser in which you are signed in. It works once, until ${Words.moment(link.expiresAt)}; you then sign in with this address.`,
    "If it was not you, do nothing: only a browser that is signed in to that account can use the link."
  ].join("\n\n"),
  link: { site: "service", path: "/confirm-address?token=", label: "Confirm the address" }
})

/** The mail to the holder of the account `owner`, when another account asks for the address of `owner`. */
export const takenMail = (owner: Account, link: AccountLink.AccountLink): MailMessage => ({
  to: owner.id,
  dedupeKey: keyOf("address_taken", link),
  subject: "Somebody wanted to use your address",
  body: [
    `Somebody wanted to use your address, ${owner.email}, for another account. It is the address of your account, so nothing was changed.`,
    "If it was you, delete one of the two accounts, or choose another address for it first. If it was not you, do nothing."
  ].join("\n\n"),
  link: { site: "service", path: "/sign-in", label: "Sign in" }
})

const changedMail = (link: AccountLink.AccountLink, newEmail: Email): MailMessage => ({
  to: link.userId,
  address: link.email,
  dedupeKey: undoKey(link.hash),
  subject: "The address of your account was changed",
  body: [
    `On ${Words.moment(link.createdAt)} the address of your account was changed from ${link.email} to ${newEmail}, by somebody who was signed in. From now on we write there, and you sign in with that address.`,
    `If it was not you, somebody else uses your account. Open the link: it brings this address back, sets a new password and signs everybody out. It works once, until ${Words.moment(link.expiresAt)}.`,
    "If it was you, do nothing, and pass the link on to nobody."
  ].join("\n\n"),
  link: { site: "service", path: "/undo-address?token=", label: "Undo the change" }
})

const undoneMail = (link: AccountLink.AccountLink, now: Timestamp): MailMessage => ({
  to: link.userId,
  address: link.email,
  dedupeKey: keyOf("address_undone", link),
  subject: "Your address is back",
  body: [
    `On ${Words.moment(now)} your account got this address back, ${link.email}, and a new password. Every browser was signed out: sign in with the new password.`,
    "Look at your connected apps and your phones for what you do not know."
  ].join("\n\n"),
  link: { site: "service", path: "/sign-in", label: "Sign in" }
})
