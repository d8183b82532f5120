// A mailed link, which proves that the person who opens it reads the mail. Decisions accounts-9 and accounts-12.
import { Schema } from "effect"
import type { Email } from "../accounts/Account.js"
import type { UserId, Vault } from "../shared/index.js"
import { DAY, MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/** What the link does. A link with one purpose cannot be used for another. */
export const LinkPurpose = Schema.Literal(
  "password_reset",
  /** Confirms the address that the account has. */
  "address_confirmation",
  /** Gives the account another address, to which the link was mailed. */
  "address_change",
  /** Gives the account back an earlier address, to which the link was mailed. */
  "address_undo",
  /** Makes the browser that uses the link known to the account (`KnownBrowser`). */
  "unlock"
)
export type LinkPurpose = typeof LinkPurpose.Type

/**
 * A link that was mailed, or given to an operator, and not used yet. A used link is deleted, so a link works once. The
 * row of the link has only the SHA-256 of its secret. Until the mail is sent or given up, the row of the mail has the
 * secret, encrypted.
 */
export interface AccountLink {
  readonly hash: Vault.Hash
  readonly userId: UserId
  readonly purpose: LinkPurpose
  /**
   * The address of the account when the link was made. When the account has another address now, the link does not
   * work, except an `address_undo`, which brings this address back.
   */
  readonly email: Email
  /** The address that the account gets; null unless the purpose is `address_change`. */
  readonly newEmail: Email | null
  /**
   * For an undo link, the account's `AddressState.addressVersion` at `createdAt`: of two undo links of an account, the
   * link with the smaller version is older. 0 for a link with another purpose.
   */
  readonly addressVersion: number
  readonly createdAt: Timestamp
  /** From this instant on, the link is not valid. */
  readonly expiresAt: Timestamp
}

export const LIFETIMES: Readonly<Record<LinkPurpose, number>> = {
  password_reset: 30 * MINUTE,
  address_confirmation: DAY,
  address_change: DAY,
  address_undo: 7 * DAY,
  unlock: 30 * MINUTE
}

/** A link for `owner` that is valid from `now` on. */
export const make = (
  purpose: LinkPurpose,
  hash: Vault.Hash,
  owner: { readonly id: UserId; readonly email: Email },
  now: Timestamp,
  { addressVersion = 0, newEmail = null }: Partial<Pick<AccountLink, "addressVersion" | "newEmail">> = {}
): AccountLink => ({
  hash,
  userId: owner.id,
  purpose,
  email: owner.email,
  newEmail,
  addressVersion,
  createdAt: now,
  expiresAt: plus(now, LIFETIMES[purpose])
})

/** Whether the link still works for `owner`. `owner.email` is the address that the account has now. */
export const isLive = (
  link: AccountLink,
  purpose: LinkPurpose,
  owner: { readonly id: UserId; readonly email: Email },
  now: Timestamp
): boolean =>
  link.purpose === purpose &&
  link.userId === owner.id &&
  (purpose === "address_undo" || link.email === owner.email) &&
  now < link.expiresAt

/**
 * Whether the link works after the password was replaced: only an undo link does. If a new password ended undo links
 * too, a thief could change the address and then the password, and the owner could not undo the change.
 */
export const outlivesPassword = ({ purpose }: Pick<AccountLink, "purpose">): boolean => purpose === "address_undo"
