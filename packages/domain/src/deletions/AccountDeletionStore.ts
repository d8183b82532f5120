import { Context, type Either, type Option } from "effect"
import type { Conflict, StoreEffect, UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { AccountDeletionState, Going, Outlook } from "./AccountDeletion.js"

/** A deleted account that may still have rows. */
export interface Leftover {
  readonly userId: UserId
  readonly requestedAt: Timestamp
}

/** Deletes accounts and all their rows, in small steps. Decisions deletions-2 and deletions-3. */
export class AccountDeletionStore extends Context.Tag("@place-access/domain/deletions/AccountDeletionStore")<
  AccountDeletionStore,
  {
    /** The effects that a deletion would have. None when no account has this id. */
    readonly describe: (userId: UserId) => StoreEffect<Option.Option<Outlook>>
    /**
     * Locks the account, reads the clock and calls `decide`. Deletions of two admins wait for each other, so that one
     * admin remains.
     *
     * When `decide` returns `Going`, one transaction does all of this:
     *
     * - deletes the account, its sessions, its sign-in attempts, its archives, and the waiting sign-ups with its
     *   address
     * - ends its connections and the tokens of its phones, and drops its waiting events
     * - takes the account out of all teams, and drops the invitations that it made and the invitations to its address,
     *   with the mails about these invitations
     * - gives each of its apps to the app's heir, with a mail and an audit event for the heir
     * - revokes each app without an heir: it goes to `NOBODY` and loses its secrets, redirect URIs, endpoints, members
     *   and invitations
     * - puts the mail into the outbox, and records that other rows of the account remain
     *
     * None when there is no account of this id.
     */
    readonly begin: (
      userId: UserId,
      decide: (state: AccountDeletionState, now: Timestamp) => Either.Either<Going, Conflict>
    ) => StoreEffect<Option.Option<Either.Either<Going, Conflict>>>
    /**
     * Up to `limit` deleted accounts in these buckets (`leases/Bucket`) that are due: the time that `begin` or
     * `lookAgain` set is not after `now`. The earliest time comes first.
     */
    readonly due: (
      buckets: ReadonlyArray<number>,
      limit: number,
      now: Timestamp
    ) => StoreEffect<ReadonlyArray<Leftover>>
    /**
     * Deletes at most `limit` rows of each table, replaces the account by `NOBODY` in rows that stay, and returns how
     * many rows it deleted or changed; 0 when nothing can be deleted at `now`. An event is deleted only when its
     * fan-out is at least a minute ago and a call has found no delivery of the event. The reason is that a worker or a
     * replay may still store deliveries, which can be found only through their event. Apps that are deleted together
     * with the account (`AccountDeletion.goesEntirely`) come last. Before their deletion, the connections that other
     * people have to these apps are ended.
     */
    readonly removeSome: (userId: UserId, now: Timestamp, limit: number) => StoreEffect<number>
    /** Sets the time at which workers next check for rows of this account. */
    readonly lookAgain: (userId: UserId, at: Timestamp) => StoreEffect<void>
    /**
     * Deletes the record of the deletion, the mail about the deletion, and the counts of calls whose subject has the
     * account's id (`LimitStore`). Idempotent.
     */
    readonly finish: (userId: UserId) => StoreEffect<void>
  }
>() {}
