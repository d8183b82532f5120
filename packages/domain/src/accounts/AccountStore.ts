import { Context, type Effect, type Option } from "effect"
import type { AuditEvent } from "../audit/AuditEvent.js"
import type { Keep } from "../retention-choice/History.js"
import type { Conflict, Language, StoreEffect, StoreError, Timestamp, UserId, Vault } from "../shared/index.js"
import type { Account, DisplayName, Email, Role, StaffRole } from "./Account.js"
import type { NoticeKind } from "./NoticeKind.js"
import type { Session } from "./Session.js"
import type { RecentTries, SignInTry, ThrottleVerdict } from "./SignInThrottle.js"

/** An account with the argon2id hash of its password. Only the check of a typed password reads the hash. */
export interface AccountCredentials {
  readonly account: Account
  readonly passwordHash: string
  /**
   * How often the owner has replaced the password. A session is valid only while this number equals
   * `Session.passwordVersion`.
   */
  readonly passwordVersion: number
}

export interface LiveSession {
  /** The account as it is now, and not as it was at the sign-in: it has a role that was added after the sign-in. */
  readonly account: Account
  readonly session: Session
}

/** A person, and the kinds of notices that the person chose to get by mail, at least one. */
export interface ChosenNotices {
  readonly userId: UserId
  readonly kinds: ReadonlyArray<NoticeKind>
}

/**
 * Accounts with their passwords and sessions, and the attempts to sign in. A method with a parameter `audit` stores
 * this audit event in the transaction of its change (decision audit-1).
 */
export class AccountStore extends Context.Tag("@place-access/domain/accounts/AccountStore")<
  AccountStore,
  {
    /**
     * Stores the account and, unless `keep` is left out, the owner's choice of how long to keep history
     * (`HistoryStore.choice`). Fails with `Conflict` when another account has the e-mail address.
     */
    readonly create: (
      account: Account,
      passwordHash: string,
      keep?: Keep | undefined,
      audit?: AuditEvent
    ) => Effect.Effect<void, Conflict | StoreError>
    /** The account with this id. None when there is no such account. */
    readonly find: (id: UserId) => StoreEffect<Option.Option<Account>>
    /** The account with this e-mail and its credentials. None when no account has this e-mail. */
    readonly findByEmail: (email: Email) => StoreEffect<Option.Option<AccountCredentials>>
    /**
     * Whether there is an account other than the accounts `ids` that belongs to a person (`Account.isPerson`), has one
     * of the roles `roles`, and is not suspended.
     */
    readonly hasAnother: (ids: ReadonlyArray<UserId>, roles: ReadonlyArray<StaffRole>) => StoreEffect<boolean>
    /** Whether a sign-in with the password needs a second factor. False when there is no account of this id. */
    readonly hasFactor: (id: UserId) => StoreEffect<boolean>
    /** Adds roles. Concurrent additions are all kept. None when there is no account of this id. */
    readonly addRoles: (id: UserId, roles: ReadonlyArray<Role>) => StoreEffect<Option.Option<Account>>
    /**
     * Replaces the display name, and stores `audit`. Returns false and stores nothing when the account has this name
     * already, or when there is no account of this id.
     */
    readonly changeName: (id: UserId, name: DisplayName, audit: AuditEvent) => StoreEffect<boolean>
    /**
     * Stores the IANA name of a time zone, unless the account has a time zone already. No effect on an unknown account.
     */
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
     * A page of the people who chose at least one notice and whose id belongs to one of these buckets
     * (`leases/Bucket`). Ordered by id, by character codes.
     */
    readonly listNotified: (page: {
      readonly buckets: ReadonlyArray<number>
      readonly limit: number
      readonly after: UserId | undefined
    }) => StoreEffect<ReadonlyArray<ChosenNotices>>

    /**
     * Stores the session of a sign-in. When the account then has more than `Session.MOST` sessions, the store closes
     * the others that were used least recently. No effect when the account was deleted meanwhile: the cookie then finds
     * no session.
     */
    readonly openSession: (session: Session, audit?: AuditEvent) => StoreEffect<void>
    /**
     * The session with this hash, and its account. None when the session is unknown or has expired at `now`, when the
     * session and the account have different `passwordVersion`s, or when the account is suspended.
     */
    readonly findSession: (hash: Vault.Hash, now: Timestamp.Timestamp) => StoreEffect<Option.Option<LiveSession>>
    /** Stores `seenAt` and `expiresAt` of the session. No effect on a session that is closed. */
    readonly renewSession: (session: Session) => StoreEffect<void>
    /**
     * Gives the session the hash of a new cookie and stores `confirmedAt`. The old cookie then finds no session.
     * Returns false and changes nothing when the session is closed, or has another `passwordVersion`.
     */
    readonly confirmSession: (
      session: Pick<Session, "hash" | "passwordVersion">,
      confirmed: Pick<Session, "hash" | "confirmedAt">
    ) => StoreEffect<boolean>
    /**
     * The sessions of this account that `findSession` would find if the account were not suspended, the last used
     * first.
     */
    readonly listSessions: (id: UserId, now: Timestamp.Timestamp) => StoreEffect<ReadonlyArray<Session>>
    /** Closes the session of this hash. Idempotent. */
    readonly closeSession: (hash: Vault.Hash) => StoreEffect<void>
    /**
     * Closes every session of this account except the session with the hash `kept`; null closes all sessions. Returns
     * how many of the closed sessions had not ended at `now`; sessions of a suspended account count too. The function
     * `audit` makes the audit event from this number.
     */
    readonly closeOtherSessions: (
      id: UserId,
      kept: Vault.Hash | null,
      now: Timestamp.Timestamp,
      audit?: (count: number) => AuditEvent
    ) => StoreEffect<number>

    /**
     * Stores the attempt if `decide` admits it. First the store takes locks: an attempt from a known browser locks this
     * browser, and any other attempt locks the e-mail and the network address. Then the store passes the attempts of
     * the last `SignInThrottle.WINDOW` to `decide`. Concurrent attempts wait for these locks, so each attempt sees all
     * attempts that were admitted before it.
     */
    readonly admitTry: (
      tried: SignInTry,
      decide: (recent: RecentTries, now: Timestamp.Timestamp) => ThrottleVerdict
    ) => StoreEffect<ThrottleVerdict>
    /**
     * Marks the attempt as failed, because the password or the code was wrong. The failure counts from the time at
     * which the attempt was admitted.
     */
    readonly failTry: (id: SignInTry["id"]) => StoreEffect<void>
    /**
     * Removes the attempt, because the password or the code was right. Earlier failures of the account, or of the known
     * browser, no longer count against that account or browser. Earlier failures from the network address still count
     * against the address.
     */
    readonly clearTries: (tried: SignInTry) => StoreEffect<void>
  }
>() {}
