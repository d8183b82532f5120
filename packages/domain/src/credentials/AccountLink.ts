// A link in a mail that proves that its reader owns the address. Decision accounts-9.
import { Schema } from "effect"
import type { Email } from "../accounts/Account.js"
import type { UserId, Vault } from "../shared/index.js"
import { MINUTE, plus, type Timestamp } from "../shared/Timestamp.js"

/** What the link is good for. A link for one thing does nothing else. */
export const LinkPurpose = Schema.Literal("password_reset")
export type LinkPurpose = typeof LinkPurpose.Type

/**
 * A link that was mailed and not used yet: a used link is deleted, so it works once. Only the SHA-256 of its secret is
 * stored. The mail has the secret encrypted until the mail is sent.
 */
export interface AccountLink {
  readonly hash: Vault.Hash
  readonly userId: UserId
  readonly purpose: LinkPurpose
  /** The address that the link was mailed to. When the account has another address, the link is dead. */
  readonly email: Email
  readonly createdAt: Timestamp
  /** Exclusive: this instant no longer counts. */
  readonly expiresAt: Timestamp
}

export const LIFETIMES: Readonly<Record<LinkPurpose, number>> = { password_reset: 30 * MINUTE }

/** A link to `owner` that begins now. */
export const make = (
  purpose: LinkPurpose,
  hash: Vault.Hash,
  owner: { readonly id: UserId; readonly email: Email },
  now: Timestamp
): AccountLink => ({
  hash,
  userId: owner.id,
  purpose,
  email: owner.email,
  createdAt: now,
  expiresAt: plus(now, LIFETIMES[purpose])
})

/** Whether the link still works for `owner`, who has this address now. */
export const isLive = (
  link: AccountLink,
  purpose: LinkPurpose,
  owner: { readonly id: UserId; readonly email: Email },
  now: Timestamp
): boolean => link.purpose === purpose && link.userId === owner.id && link.email === owner.email && now < link.expiresAt

/** Whether the text has the form of `Entropy.secret`. Any other text needs no look-up. */
export const isSecret = (text: string): boolean => /^[0-9a-z]{52}$/.test(text)
