import { Context, type Effect, type Option } from "effect"
import type { AuditEvent } from "../audit/AuditEvent.js"
import type { Keep } from "../retention-choice/History.js"
import type { Conflict, Language, StoreEffect, StoreError, Timestamp, UserId, Vault } from "../shared/index.js"
import type { Account, Email, Role } from "./Account.js"
import type { NoticeKind } from "./NoticeKind.js"
import type { Session } from "./Session.js"
import type { RecentTries, SignInTry, ThrottleVerdict } from "./SignInThrottle.js"

/** An account with the argon2id string of its password. Only the check of a typed password reads the string. */
export interface AccountCredentials {
  readonly account: Account
  readonly passwordHash: string
  /** How often the password was replaced. A session counts only while the account has the session's version. */
  readonly passwordVersion: number
}

export interface LiveSession {
  /** The account as it is now: a role that was added since the sign-in counts. */
  readonly account: Account
  readonly session: Session
}

/** A person, and the notices that the person chose: at least one. */
export interface ChosenNotices {
  readonly userId: UserId
  readonly kinds: ReadonlyArray<NoticeKind>
}

/**
 * Accounts with their passwords and sessions, and the attempts to sign in. `audit`: the event of the change, stored in
 * the same transaction (decision audit-1).
 */
export class AccountStore extends Context.Tag("@place-access/domain/accounts/AccountStore")<
  AccountStore,
  {
    /** Stores the account, and, if given, `keep` as its `HistoryStore.choice`. `Conflict`: the e-mail is taken. */
    readonly create: (
      account: Account,
      passwordHash: string,
      keep?: Keep | undefined,
      audit?: AuditEvent
    ) => Effect.Effect<void, Conflict | StoreError>
    /** None when there is no account of this id. */
    readonly find: (id: UserId) => StoreEffect<Option.Option<Account>>
    /** None when no account has this e-mail. */
    readonly findByEmail: (email: Email) => StoreEffect<Option.Option<AccountCredentials>>
    /** Whether an account other than these has one of the roles and is not suspended. */
    readonly hasAnother: (ids: ReadonlyArray<UserId>, roles: ReadonlyArray<Role>) => StoreEffect<boolean>
    /** Whether a sign-in with the password needs a second factor. False when there is no account of this id. */
    readonly hasFactor: (id: UserId) => StoreEffect<boolean>
    /** Adds roles. Concurrent additions are all kept. None when there is no account of this id. */
    readonly addRoles: (id: UserId, roles: ReadonlyArray<Role>) => StoreEffect<Option.Option<Account>>
    /** Stores the IANA name of a time zone, unless the account has one. No effect on an unknown account. */
    readonly learnTimeZone: (id: UserId, name: string) => StoreEffect<void>
    /** Stores the IANA name of the account's time zone. No effect on an unknown account. */
    readonly chooseTimeZone: (id: UserId, name: string) => StoreEffect<void>
    /** Stores the `browserLanguage`, unless the account has one. No effect on an unknown account. */
    readonly learnLanguage: (id: UserId, language: Language.Language) => StoreEffect<void>
    /** Stores the chosen language; null removes the choice. No effect on an unknown account. */
    readonly chooseLanguage: (id: UserId, language: Language.Language | null) => StoreEffect<void>
    /** The notices that the account's owner chose; none before the first choice. */
    readonly notices: (id: UserId) => StoreEffect<ReadonlyArray<NoticeKind>>
    /** Replaces the chosen notices. No effect on an unknown account. */
    readonly chooseNotices: (id: UserId, kinds: ReadonlyArray<NoticeKind>) => StoreEffect<void>
    /**
     * A page of the people in these buckets (`leases/Bucket`) who chose a notice, ordered by id (by character codes).
     */
    readonly listNotified: (page: {
      readonly buckets: ReadonlyArray<number>
      readonly limit: number
      readonly after: UserId | undefined
    }) => StoreEffect<ReadonlyArray<ChosenNotices>>

    readonly openSession: (session: Session, audit?: AuditEvent) => StoreEffect<void>
    /** None when the session is unknown or over at `now`, its password was replaced, or its account is suspended. */
    readonly findSession: (hash: Vault.Hash, now: Timestamp.Timestamp) => StoreEffect<Option.Option<LiveSession>>
    /** Stores `seenAt` and `expiresAt`. No effect on a session that is closed. */
    readonly renewSession: (session: Session) => StoreEffect<void>
    /**
     * Gives the session the hash of a new cookie and stores `confirmedAt`, if the session has this version of the
     * password. The old hash then finds no session. False: the session has another version, or is closed.
     */
    readonly confirmSession: (
      session: Pick<Session, "hash" | "passwordVersion">,
      confirmed: Pick<Session, "hash" | "confirmedAt">
    ) => StoreEffect<boolean>
    /** The sessions of this account that `findSession` would find, last used first. */
    readonly listSessions: (id: UserId, now: Timestamp.Timestamp) => StoreEffect<ReadonlyArray<Session>>
    /** Closes the session of this hash. Idempotent. */
    readonly closeSession: (hash: Vault.Hash) => StoreEffect<void>
    /** Closes every session of this account except the session of the hash `kept` (null: none). Returns how many. */
    readonly closeOtherSessions: (
      id: UserId,
      kept: Vault.Hash | null,
      audit?: (count: number) => AuditEvent
    ) => StoreEffect<number>

    /**
     * Locks the e-mail and the network address, or the known browser, gives the attempts of the last
     * `SignInThrottle.WINDOW` to `decide`, and stores the attempt if admitted. An admitted attempt counts at once, so
     * that two attempts at one account never see the same state.
     */
    readonly admitTry: (
      tried: SignInTry,
      decide: (recent: RecentTries, now: Timestamp.Timestamp) => ThrottleVerdict
    ) => StoreEffect<ThrottleVerdict>
    /** The password or the code was wrong: the attempt becomes a failure at the time when it was admitted. */
    readonly failTry: (id: SignInTry["id"]) => StoreEffect<void>
    /**
     * The password or the code was right: removes the attempt. Earlier failures of the account, or of the known
     * browser, no longer count for it. The failures of the network address still count.
     */
    readonly clearTries: (tried: SignInTry) => StoreEffect<void>
  }
>() {}
