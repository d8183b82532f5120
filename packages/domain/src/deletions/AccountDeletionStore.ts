import { Context, type Either, type Option } from "effect"
import type { Conflict, StoreEffect, UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Going, AccountDeletionState } from "./AccountDeletion.js"

/** A deleted account that may still have rows. */
export interface Leftover {
  readonly userId: UserId
  readonly requestedAt: Timestamp
}

/** Deletes accounts and all their rows, in small steps. Decisions deletions-2 and deletions-3. */
export class AccountDeletionStore extends Context.Tag("@place-access/domain/deletions/AccountDeletionStore")<
  AccountDeletionStore,
  {
    /** What deleting the account would do. None when there is no account of this id. */
    readonly describe: (userId: UserId) => StoreEffect<Option.Option<AccountDeletionState>>
    /**
     * Locks the account (for an admin also against other admins who delete theirs), reads the clock and calls `decide`.
     *
     * With `Going`, one transaction does all of this: it deletes the account, its sessions, its sign-in attempts, its
     * archives and the waiting sign-ups with its address; ends its connections and the tokens of its phones; drops its
     * waiting events; takes it out of all teams; gives each of its apps to the app's heir, or else to `NOBODY` and
     * revokes it, without secrets, redirect URIs, endpoints, members and invitations; drops the invitations that it
     * made and those to its address; puts the mail into the outbox; and records that other rows remain. None when there
     * is no account of this id.
     */
    readonly begin: (
      userId: UserId,
      decide: (state: AccountDeletionState, now: Timestamp) => Either.Either<Going, Conflict>
    ) => StoreEffect<Option.Option<Either.Either<Going, Conflict>>>
    /**
     * Up to `limit` deleted accounts in these buckets (`leases/Bucket`) for whose rows a worker must check at `now`, in
     * the order of the times for which the checks were set.
     */
    readonly due: (
      buckets: ReadonlyArray<number>,
      limit: number,
      now: Timestamp
    ) => StoreEffect<ReadonlyArray<Leftover>>
    /**
     * Deletes at most `limit` rows of each table and returns how many; 0 when nothing is left to delete. An event stays
     * for a minute after its fan-out, because a worker may still store deliveries that only the event leads to. The
     * account's apps that go entirely come last; connections that other people still have with them end first.
     */
    readonly removeSome: (userId: UserId, now: Timestamp, limit: number) => StoreEffect<number>
    /** Sets when workers next check for rows of this account. */
    readonly lookAgain: (userId: UserId, at: Timestamp) => StoreEffect<void>
    /** Deletes the record of the deletion, and the mail about the deletion. Idempotent. */
    readonly finish: (userId: UserId) => StoreEffect<void>
  }
>() {}
