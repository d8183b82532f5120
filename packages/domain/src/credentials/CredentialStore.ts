import { Context, type Option } from "effect"
import type { Account } from "../accounts/Account.js"
import type { MailMessage } from "../mail/Mail.js"
import type { StoreEffect, Timestamp, UserId, Vault } from "../shared/index.js"
import type { AccountLink } from "./AccountLink.js"
import type { CredentialState, PasswordReplacement } from "./PasswordChange.js"

/**
 * What proves that somebody is the owner of an account, and how the proof is replaced. Decisions accounts-9 and
 * accounts-10.
 */
export class CredentialStore extends Context.Tag("@place-access/domain/credentials/CredentialStore")<
  CredentialStore,
  {
    /**
     * Stores the link and puts its mail into the outbox; null: somebody else passes the link on. False, and nothing is
     * stored, when the account is gone or has another address than the link.
     */
    readonly offerLink: (link: AccountLink, mail: MailMessage | null) => StoreEffect<boolean>
    /** The link and its account, whether or not the link still works. None when it was used, or never existed. */
    readonly findLink: (
      hash: Vault.Hash
    ) => StoreEffect<Option.Option<{ readonly link: AccountLink; readonly account: Account }>>
    /**
     * Locks the account, reads the clock and the link, and calls `decide`. One transaction replaces the password and
     * raises its version, gives the version to the session that stays, ends the other sessions, deletes every link of
     * the account, forgets its failed attempts to sign in, and puts the notice into the outbox. False, and nothing is
     * written, when there is no such account or `decide` returns null.
     */
    readonly replacePassword: (
      userId: UserId,
      link: Vault.Hash | null,
      decide: (state: CredentialState, now: Timestamp.Timestamp) => PasswordReplacement | null
    ) => StoreEffect<boolean>
  }
>() {}
