import { Context, type Effect, type Option } from "effect"
import type { Keep } from "../retention-choice/History.js"
import type { Conflict, StoreEffect, StoreError, Timestamp, UserId, Vault } from "../shared/index.js"
import type { Account, Email, Role } from "./Account.js"
import type { Session } from "./Session.js"
import type { RecentTries, SignInTry, ThrottleVerdict } from "./SignInThrottle.js"

/** An account with the argon2id string of its password. Only sign-in reads it. */
export interface AccountCredentials {
  readonly account: Account
  readonly passwordHash: string
  /** How often the password was replaced. A session counts only while this is the number that it began with. */
  readonly passwordVersion: number
}

export interface LiveSession {
  /** As it is now: a role that was added since the sign-in counts. */
  readonly account: Account
  readonly session: Session
}

/** Accounts with their passwords and sessions, and the attempts to sign in. */
export class AccountStore extends Context.Tag("@place-access/domain/accounts/AccountStore")<
  AccountStore,
  {
    /** Stores the account and its `HistoryStore.choice`, if `keep` is given. `Conflict`: the e-mail is taken. */
    readonly create: (
      account: Account,
      passwordHash: string,
      keep?: Keep | undefined
    ) => Effect.Effect<void, Conflict | StoreError>
    /** None when there is no such account. */
    readonly find: (id: UserId) => StoreEffect<Option.Option<Account>>
    /** None when no account has this e-mail. */
    readonly findByEmail: (email: Email) => StoreEffect<Option.Option<AccountCredentials>>
    /** Adds roles. Concurrent additions are all kept. None when there is no account of this id. */
    readonly addRoles: (id: UserId, roles: ReadonlyArray<Role>) => StoreEffect<Option.Option<Account>>

    readonly openSession: (session: Session) => StoreEffect<void>
    /** None when the session is unknown or expired at `now`, or its password was replaced since. */
    readonly findSession: (hash: Vault.Hash, now: Timestamp.Timestamp) => StoreEffect<Option.Option<LiveSession>>
    /** Stores `seenAt` and `expiresAt`. No effect on a session that is closed. */
    readonly renewSession: (session: Session) => StoreEffect<void>
    /** The sessions of this account that `findSession` would find, the one that was used last first. */
    readonly listSessions: (id: UserId, now: Timestamp.Timestamp) => StoreEffect<ReadonlyArray<Session>>
    /** Idempotent. */
    readonly closeSession: (hash: Vault.Hash) => StoreEffect<void>
    /** Closes every session of this account but the one of `kept`; null: all. Returns how many it closed. */
    readonly closeOtherSessions: (id: UserId, kept: Vault.Hash | null) => StoreEffect<number>

    /**
     * Locks the e-mail and the address, gives the attempts of the last `SignInThrottle.WINDOW` to `decide`, and stores
     * the attempt if admitted. It counts from then on, so that two attempts at one account never see the same state.
     */
    readonly admitTry: (
      tried: SignInTry,
      decide: (recent: RecentTries, now: Timestamp.Timestamp) => ThrottleVerdict
    ) => StoreEffect<ThrottleVerdict>
    /** The password was wrong: the attempt becomes a failure at the time when it was admitted. */
    readonly failTry: (id: SignInTry["id"]) => StoreEffect<void>
    /** The password was right: removes the attempt and the account's failures. The failures of the address stay. */
    readonly clearTries: (tried: SignInTry) => StoreEffect<void>
  }
>() {}
