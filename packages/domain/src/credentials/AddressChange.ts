// Confirming an address, changing it and undoing the change. Decisions accounts-11 and accounts-13.
//
// An address changes in two steps. A signed-in person asks for the change. Then the person opens a link that was mailed
// to the new address, in a session of the same account. The old address, if it counts as confirmed, gets a link that
// undoes the change.
//
// A thief who took an account over can change its address several times, and gets undo links too. So an undo deletes
// every link of the account except the older undo links. The owner's link is the oldest: no undo of the thief deletes
// it, and when the owner uses it, the thief's links stop working.
//
// The thief can also add a passkey, which signs in without the new password, or a code app, which keeps the owner out.
// The mail about the new factor may go to the thief's address. So an undo also removes the factors that the thief may
// have added (`suspectSince`).
import { type Account, type AddressRule, countsAsConfirmed, type Email } from "../accounts/Account.js"
import * as AuditEvent from "../audit/AuditEvent.js"
import { eventsOf } from "../factors/FactorAudit.js"
import * as Factors from "../factors/Factors.js"
import { LOOK } from "../mail/Advice.js"
import type { MailMessage } from "../mail/Mail.js"
import { type Vault, Words } from "../shared/index.js"
import { plus, type Timestamp } from "../shared/Timestamp.js"
import * as AccountLink from "./AccountLink.js"
import * as PasswordChange from "./PasswordChange.js"
import { isReleased } from "./SignUpRequest.js"

/** The state by which a change of the address is decided, read under the lock of the account. */
export interface AddressState extends PasswordChange.CredentialState, Factors.FactorState {
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
  /** The factors of the account from now on. */
  readonly factors: Factors.Factors
  readonly mails: ReadonlyArray<MailMessage>
  readonly audit: ReadonlyArray<AuditEvent.AuditEvent>
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

/**
 * Confirms or changes the address through a link opened in a session of the account. Returns null when the link is not
 * valid.
 */
export const confirm =
  (rule: AddressRule, fresh: FreshUndo) =>
  ({ account, addressVersion, factors, link }: AddressState, now: Timestamp): AddressReplacement | null => {
    if (link === null) return null
    const isChange = link.newEmail !== null && AccountLink.isLive(link, "address_change", account, now)
    if (!isChange && !AccountLink.isLive(link, "address_confirmation", account, now)) return null
    // An old address that was never confirmed may belong to a stranger, so it gets no undo link. Nobody reads mail at
    // the placeholder of an account that lost its address.
    const undo =
      isChange && countsAsConfirmed(account, rule) && !isReleased(account)
        ? AccountLink.make("address_undo", fresh.hash, account, now, { addressVersion })
        : null
    const email = link.newEmail ?? account.email
    return {
      email,
      confirmedAt: (isChange ? null : account.confirmedAt) ?? confirmedNow(rule, now),
      keepsUndoBelow: addressVersion,
      undo,
      passwordHash: null,
      factors,
      mails: undo === null ? [] : [{ ...changedMail(undo, email), secret: fresh.sealed }],
      audit: [AuditEvent.byOwner(account.id, now, { kind: isChange ? "address_changed" : "address_confirmed" })]
    }
  }

/**
 * The first moment at which a thief who changed the address may have added a factor without the owner's knowledge. The
 * mail about a new factor goes to the address that the account has at that time, but a thief who has the link to the
 * new address can add a factor and open the link before the owner reads that mail. The link works for 24 hours, so the
 * moment is 24 hours before the change.
 */
const suspectSince = ({ createdAt }: AccountLink.AccountLink): Timestamp =>
  plus(createdAt, -AccountLink.LIFETIMES.address_change)

/**
 * Undoes an address change through a link that was mailed to the old address. Returns null when the link is not valid.
 */
export const undo =
  (rule: AddressRule, passwordHash: string) =>
  (state: AddressState, now: Timestamp): AddressReplacement | null => {
    const { account, link } = state
    if (link === null || !AccountLink.isLive(link, "address_undo", account, now)) return null
    const factors = Factors.addedBefore(state, suspectSince(link))
    const removals = eventsOf(state, factors, now)
    const restored = AuditEvent.byOwner(account.id, now, { kind: "address_restored" })
    return {
      email: link.email,
      confirmedAt: confirmedNow(rule, now),
      keepsUndoBelow: link.addressVersion,
      undo: null,
      passwordHash,
      factors,
      mails: [undoneMail(link, losesFactor(removals), now)],
      audit: [...removals, PasswordChange.changed(account, "link", now), restored]
    }
  }

/** Whether one of the events says that a factor was removed. */
export const losesFactor = (events: ReadonlyArray<AuditEvent.AuditEvent>): boolean =>
  events.some(({ detail }) => detail.kind === "factor_removed")

const keyOf = (kind: string, { createdAt, hash }: AccountLink.AccountLink): string =>
  // A part of the digest distinguishes two links of the same moment, and is no secret.
  `${kind} ${createdAt} ${hash.slice(0, 12)}`

/**
 * The mail with a link that confirms an address. The caller adds the encrypted secret of the link. The text does not
 * have the address, which may be another person's (decision deletions-3).
 */
export const confirmMail = (link: AccountLink.AccountLink): MailMessage => ({
  to: link.userId,
  address: link.newEmail ?? link.email,
  dedupeKey: keyOf("address", link),
  subject: "Confirm your e-mail address",
  body: [
    link.newEmail === null
      ? `Open the link to confirm this address, in a browser in which you are signed in. It works once, until ${Words.moment(link.expiresAt)}.`
      : `Somebody wants to use this address for their account. If it was you, open the link in a browser in which you are signed in. It works once, until ${Words.moment(link.expiresAt)}; you then sign in with this address.`,
    "If it was not you, do nothing: only a browser that is signed in to that account can use the link."
  ].join("\n\n"),
  link: { site: "service", path: "/confirm-address?token=", label: "Confirm the address" }
})

/**
 * The mail to the holder of the account `owner`, when another account wants to change its address to the address of
 * `owner`.
 */
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
    `If it was not you, somebody else uses your account. Open the link: it brings this address back, sets a new password and signs everybody out. It also removes all recovery codes, and every passkey and every app for one-time codes that was added in the 24 hours before the change or after it. It works once, until ${Words.moment(link.expiresAt)}.`,
    "If it was you, do nothing, and pass the link on to nobody."
  ].join("\n\n"),
  link: { site: "service", path: "/undo-address?token=", label: "Undo the change" }
})

const REMOVED =
  "We removed all recovery codes, and every passkey and every app for one-time codes that was added in the 24 hours before the change of the address or after it. Somebody else may have added them. If one of them was yours, add it again."

const undoneMail = (link: AccountLink.AccountLink, losesFactors: boolean, now: Timestamp): MailMessage => ({
  to: link.userId,
  address: link.email,
  dedupeKey: keyOf("address_undone", link),
  subject: "Your address is back",
  body: [
    `On ${Words.moment(now)} your account got this address back, ${link.email}, and a new password. Every browser was signed out: sign in with the new password.`,
    ...(losesFactors ? [REMOVED] : []),
    LOOK
  ].join("\n\n"),
  link: { site: "service", path: "/sign-in", label: "Sign in" },
  furtherLinks: [{ site: "portal", path: "/settings/second-factor", label: "Your second factor" }]
})
