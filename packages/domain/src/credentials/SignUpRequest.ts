// An account that waits for its address to be confirmed. Decisions accounts-11 and accounts-12.
import { type Account, type DisplayName, Email } from "../accounts/Account.js"
import * as AuditEvent from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import type { Keep } from "../retention-choice/History.js"
import { type UserId, type Vault, Words } from "../shared/index.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * What a person typed when they signed up. The request becomes an account when somebody opens the mailed link and gives
 * the password. Until then the request reserves nothing: another person can sign up with the same address, and the
 * first who confirms the address gets the account.
 */
export interface SignUpRequest {
  /** The SHA-256 of the link's secret. */
  readonly hash: Vault.Hash
  /** The id that the account will have. */
  readonly userId: UserId
  readonly email: Email
  readonly displayName: DisplayName
  readonly passwordHash: string
  readonly keep: Keep
  /** The page that the person wanted to open. */
  readonly returnTo: string
  readonly createdAt: Timestamp
  /** From this instant on, the link is not valid. */
  readonly expiresAt: Timestamp
}

export const LIFETIME = DAY

/** The request with a new link, which is valid from `now` on. Earlier links of the request stay valid. */
export const withLink =
  (request: Omit<SignUpRequest, "hash" | "createdAt" | "expiresAt">) =>
  (hash: Vault.Hash, now: Timestamp): SignUpRequest => ({
    ...request,
    hash,
    createdAt: now,
    expiresAt: plus(now, LIFETIME)
  })

/** Whether the link has not expired. At `expiresAt` the link has expired. */
export const isLive = ({ expiresAt }: SignUpRequest, now: Timestamp): boolean => now < expiresAt

/** The account and the audit event, committed together when an address is confirmed. */
export interface ConfirmedSignUp {
  readonly account: Account
  readonly audit: AuditEvent.AuditEvent
}

/** The account of a request whose address was confirmed at `now`; null when the link is too old. */
export const confirm = (request: SignUpRequest, now: Timestamp): ConfirmedSignUp | null =>
  isLive(request, now)
    ? {
        account: {
          id: request.userId,
          email: request.email,
          displayName: request.displayName,
          roles: [],
          createdAt: now,
          suspendedAt: null,
          confirmedAt: now,
          timeZone: null,
          language: null,
          browserLanguage: null,
          testOf: null
        },
        audit: AuditEvent.byOwner(request.userId, now, { kind: "account_made", roles: [] })
      }
    : null

/**
 * The placeholder address of an account that lost its unconfirmed address, because another person has confirmed that
 * address. The account and its sessions stay, and its owner can set another address. The placeholder begins with a
 * capital letter. A typed address is put into lower case, so nobody can sign in or sign up with the placeholder.
 */
export const releasedEmail = (id: UserId): Email => Email.make(`Released+${id}@account.invalid`)

/**
 * Whether the account lost its address and has only the placeholder. Nobody reads mail that is sent to a placeholder.
 */
export const isReleased = ({ email, id }: Pick<Account, "email" | "id">): boolean => email === releasedEmail(id)

/** The address to show; null for an account that lost its address. */
export const addressOf = (account: Pick<Account, "email" | "id">) => (isReleased(account) ? null : account.email)

/**
 * The mail with a link that confirms a sign-up. The caller adds the encrypted secret of the link. The text does not
 * have the address: if the sign-up is never confirmed, the mail stays in the outbox under an id that gets no account,
 * and the deletion of another account with the address would not find the mail (decision deletions-3).
 */
export const confirmMail = (request: SignUpRequest): MailMessage => ({
  to: request.userId,
  address: request.email,
  // A part of the digest distinguishes two links of the same moment, and is no secret.
  dedupeKey: `sign_up ${request.createdAt} ${request.hash.slice(0, 12)}`,
  subject: "Confirm your e-mail address",
  body: [
    `Somebody signed up with this address. If it was you, open the link and type the password that you chose. The link works once, until ${Words.moment(request.expiresAt)}.`,
    "If it was not you, do nothing: without the link there is no account. Do not open it for somebody else."
  ].join("\n\n"),
  link: { site: "service", path: "/confirm-sign-up?token=", label: "Confirm the address" }
})

/** The mail to the owner of an account when somebody signs up with its address. */
export const haveAccountMail = (owner: Account, request: SignUpRequest): MailMessage => ({
  to: owner.id,
  dedupeKey: `sign_up_again ${request.createdAt} ${request.hash.slice(0, 12)}`,
  subject: "You have an account already",
  body: [
    `Somebody signed up with this address, ${owner.email}, which has an account already. No second account was made, and nothing was changed. The page said the same as for a new address, so that strangers learn nothing.`,
    "If it was you, sign in with the password of your account, or set a new one. If it was not you, do nothing."
  ].join("\n\n"),
  link: { site: "service", path: "/sign-in", label: "Sign in" },
  furtherLinks: [{ site: "service", path: "/forgot-password", label: "Set a new password" }]
})
