import { Context, type Effect, type Either, type Option } from "effect"
import type { UserId } from "../shared/Ids.js"
import type { Conflict } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Going, State } from "./AccountDeletion.js"

/** An account that is gone, of which there may be something left to remove. */
export interface Leftover {
  readonly userId: UserId
  readonly requestedAt: Timestamp
}

/** Accounts that are to be deleted, piece by piece, with everything that is theirs. */
export class AccountDeletionStore extends Context.Tag("@place-access/domain/deletions/AccountDeletionStore")<
  AccountDeletionStore,
  {
    /** What deleting the account would meet. None when there is no such account. */
    readonly describe: (userId: UserId) => Effect.Effect<Option.Option<State>, StoreError>
    /**
     * Locks the account, for an admin also against other admins who go, then reads the clock and decides. `Going`: in one step the
     * account, its sessions and its tries to sign in are gone, its connections have ended, its phones' tokens are dead, what waits in
     * the outbox is sent to nobody, its apps belong to `NOBODY` and are revoked without secrets, redirect URIs and endpoints, the
     * receipt is queued, and the rest is noted to be removed. None when there is no such account.
     */
    readonly begin: (
      userId: UserId,
      decide: (state: State, now: Timestamp) => Either.Either<Going, Conflict>
    ) => Effect.Effect<Option.Option<Either.Either<Going, Conflict>>, StoreError>
    /** Up to `limit` whose look is due, the oldest first, held until `leaseUntil`. */
    readonly claimDue: (
      limit: number,
      now: Timestamp,
      leaseUntil: Timestamp
    ) => Effect.Effect<ReadonlyArray<Leftover>, StoreError>
    /**
     * Removes at most `limit` rows of each kind of what is left, and answers how many in all. Idempotent. Events of the last minute
     * stay: somebody may be turning them into deliveries, which are found by them.
     */
    readonly removeSome: (userId: UserId, now: Timestamp, limit: number) => Effect.Effect<number, StoreError>
    /** Puts the next look at this account off. */
    readonly lookAgain: (userId: UserId, at: Timestamp) => Effect.Effect<void, StoreError>
    /** Forgets that there ever was such an account, and the receipt. Idempotent. */
    readonly finish: (userId: UserId) => Effect.Effect<void, StoreError>
  }
>() {}
