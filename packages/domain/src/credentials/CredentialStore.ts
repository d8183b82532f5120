import { Context, type Option } from "effect"
import type { Account, Email } from "../accounts/Account.js"
import type { AuditEvent } from "../audit/AuditEvent.js"
import type { MailMessage } from "../mail/Mail.js"
import type { StoreEffect, Timestamp, UserId, Vault } from "../shared/index.js"
import type { AccountLink } from "./AccountLink.js"
import type { AddressReplacement, AddressState } from "./AddressChange.js"
import type { CredentialState, PasswordReplacement } from "./PasswordChange.js"
import type { ConfirmedSignUp, SignUpRequest } from "./SignUpRequest.js"

/**
 * Passwords, addresses, mailed links and waiting sign-ups: everything that proves who owns an account. Decisions
 * accounts-9 to accounts-13. A parameter `audit` is an audit event that the method stores in the transaction of its
 * change (decision audit-1).
 */
export class CredentialStore extends Context.Tag("@place-access/domain/credentials/CredentialStore")<
  CredentialStore,
  {
    /**
     * Stores the link and puts its mail into the outbox. `mail` is null when an operator passes the link on. Returns
     * false, and stores nothing, when the account is gone or has another address than the link. When the link is stored
     * already, returns true and changes nothing: the caller repeats the call if the answer to its first call was lost.
     */
    readonly offerLink: (link: AccountLink, mail: MailMessage | null, audit?: AuditEvent) => StoreEffect<boolean>
    /**
     * The link with this hash and its account, even if the link has expired. None when the link never existed or was
     * deleted, for example because it was used, or because the account got another password or address.
     */
    readonly findLink: (
      hash: Vault.Hash
    ) => StoreEffect<Option.Option<{ readonly link: AccountLink; readonly account: Account }>>
    /**
     * Locks the account, reads the clock and the link, and calls `decide`. One transaction then replaces the password
     * and raises `passwordVersion`, gives the new version to the session that stays, and ends the other sessions. The
     * transaction also deletes the links of the account (except those of `AccountLink.outlivesPassword`), puts the
     * notice into the outbox and stores the audit event. Failed attempts to sign in no longer count against the account
     * afterwards, but still against their network addresses. Returns false, and writes nothing, when there is no such
     * account or `decide` returns null.
     */
    readonly replacePassword: (
      userId: UserId,
      link: Vault.Hash | null,
      decide: (state: CredentialState, now: Timestamp.Timestamp) => PasswordReplacement | null
    ) => StoreEffect<boolean>

    /**
     * Locks the account, reads the clock and the link, and calls `decide`. One transaction writes everything that the
     * `AddressReplacement` names. Returns `Refused`, and writes nothing, when there is no such account or `decide`
     * returns null. Returns `Taken`, and writes nothing, when another account has the address and does not lose it. An
     * account that never confirmed the address loses it to the account that confirms it
     * (`SignUpRequest.releasedEmail`).
     */
    readonly replaceAddress: (
      userId: UserId,
      link: Vault.Hash,
      decide: (state: AddressState, now: Timestamp.Timestamp) => AddressReplacement | null
    ) => StoreEffect<"Replaced" | "Refused" | "Taken">
    /**
     * Deletes the link and stores the event that `decide` returns for it. Returns false, and writes nothing, when there
     * is no such link or `decide` returns null. Of concurrent calls for one link, only one returns true.
     */
    readonly useLink: (
      userId: UserId,
      link: Vault.Hash,
      decide: (state: CredentialState, now: Timestamp.Timestamp) => AuditEvent | null
    ) => StoreEffect<boolean>

    /**
     * Stores a sign-up, which becomes an account when its address is confirmed, and puts the mail into the outbox.
     * Idempotent.
     */
    readonly requestSignUp: (request: SignUpRequest, mail: MailMessage) => StoreEffect<void>
    /**
     * The sign-up whose link has this hash. None when an account has confirmed the address, when the account with the
     * address was deleted, or when the hash is unknown. An expired sign-up is found until a sweep deletes it.
     */
    readonly findSignUp: (hash: Vault.Hash) => StoreEffect<Option.Option<SignUpRequest>>
    /**
     * The newest request for this address that has not expired at `now`. If `userId` is given, only requests for this
     * account count. None when there is no such request.
     */
    readonly newestSignUp: (
      email: Email,
      now: Timestamp.Timestamp,
      userId?: UserId
    ) => StoreEffect<Option.Option<SignUpRequest>>
    /**
     * Stores the account and the audit event that `decide` returns, and the choice `keep` of the request. Deletes every
     * request for the account's address. Returns `Refused`, and writes nothing, when there is no such request or
     * `decide` returns null. Returns `Taken` when another account has confirmed the address: then the call only deletes
     * the requests.
     */
    readonly confirmSignUp: (
      hash: Vault.Hash,
      decide: (request: SignUpRequest, now: Timestamp.Timestamp) => ConfirmedSignUp | null
    ) => StoreEffect<"Made" | "Refused" | "Taken">
  }
>() {}
