import { Context, type Effect, type Option } from "effect"
import type { Keep } from "../history/History.js"
import type { Conflict } from "../shared/Invalid.js"
import type { UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Hash } from "../shared/Vault.js"
import type { Account, Email, Role } from "./Account.js"
import type { Session } from "./Session.js"
import type { RecentTries, SignInTry, Verdict } from "./SignInThrottle.js"

/** An account together with its password's argon2id string; only sign-in reads this. */
export interface Credentials {
  readonly account: Account
  readonly passwordHash: string
}

/** Accounts with their credentials, their sessions, and the tries to sign in. */
export class AccountStore extends Context.Tag("@place-access/domain/accounts/AccountStore")<
  AccountStore,
  {
    /**
     * Stores the account and, with it, how long its history is to be kept (`HistoryStore.choice`); `keep` left out: that was not chosen.
     * `Conflict`, and nothing stored, when the e-mail is taken.
     */
    readonly create: (
      account: Account,
      passwordHash: string,
      keep?: Keep | undefined
    ) => Effect.Effect<void, Conflict | StoreError>
    /** None when there is no such account. */
    readonly find: (id: UserId) => Effect.Effect<Option.Option<Account>, StoreError>
    /** With the hash of the password. None when nobody has the address. */
    readonly findByEmail: (email: Email) => Effect.Effect<Option.Option<Credentials>, StoreError>
    /** Adds what is missing; two additions at once both last. None when there is no such account. */
    readonly addRoles: (id: UserId, roles: ReadonlyArray<Role>) => Effect.Effect<Option.Option<Account>, StoreError>

    /** Stores a session of an account that has signed in. */
    readonly openSession: (session: Session) => Effect.Effect<void, StoreError>
    /** None when unknown or expired at `now`. */
    readonly findSession: (hash: Hash, now: Timestamp) => Effect.Effect<Option.Option<Account>, StoreError>
    /** Idempotent. */
    readonly closeSession: (hash: Hash) => Effect.Effect<void, StoreError>

    /**
     * Takes the locks of the e-mail and of the address, then reads the clock, gives the tries of the last
     * `SignInThrottle.WINDOW` to `decide` and, when that says `Admitted`, stores the try: from then on it counts. Two tries of
     * one account never see the same state.
     */
    readonly admitTry: (
      tried: SignInTry,
      decide: (recent: RecentTries, now: Timestamp) => Verdict
    ) => Effect.Effect<Verdict, StoreError>
    /** The password was wrong: the try counts as a failure from when it was admitted. */
    readonly failTry: (id: SignInTry["id"]) => Effect.Effect<void, StoreError>
    /** It was right: takes the try back and forgets the account's failures, but not the address's. */
    readonly clearTries: (tried: SignInTry) => Effect.Effect<void, StoreError>
  }
>() {}
