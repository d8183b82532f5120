import { Context, type Option } from "effect"
import type { WithApp, Write } from "../connection/ConnectionStore.js"
import type { ConnectionId, StoreEffect, UserId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { SensitiveNotice } from "../tiers/SensitiveNotice.js"

export interface ConnectionKey {
  readonly userId: UserId
  readonly id: ConnectionId
}

export interface DueTiers extends ConnectionKey {
  /**
   * The time since when a sweep must handle the connection, because the end of a tier or a notice to the app is due.
   */
  readonly dueAt: Timestamp
}

/** A request for one page of the due connections. */
export interface DueTiersPage {
  /** The page has only connections of users in these buckets (`PeopleLeases.buckets`). */
  readonly buckets: ReadonlyArray<number>
  readonly now: Timestamp
  readonly limit: number
  /** The last connection of the previous page; undefined for the first page. */
  readonly after: DueTiers | undefined
}

/** A connection, read while its row is locked, with the facts that a sweep needs. */
export interface Dated extends WithApp {
  /**
   * The sweep handles only notices that are due at this moment or later. Earlier sweeps have handled the earlier
   * notices: each was sent, or was dropped because a later notice was due. Notices that were due before the last
   * consent are skipped.
   */
  readonly from: Timestamp
  /** The notices about the connection that the app has already got. */
  readonly notices: ReadonlyArray<SensitiveNotice>
}

/** The decision of a sweep about one connection. The store commits its writes and notices together. */
export interface Sweep<A> {
  readonly outcome: A
  readonly writes: ReadonlyArray<Write>
  readonly notices: ReadonlyArray<SensitiveNotice>
}

/**
 * Finds the connections that a sweep must handle, because the end of a tier or a notice is due, and stores which
 * notices apps have got.
 */
export class TierStore extends Context.Tag("@place-access/domain/sweeps/TierStore")<
  TierStore,
  {
    /** Connections that have not ended and are due by `now`, ordered by `dueAt` and then by id. */
    readonly due: (page: DueTiersPage) => StoreEffect<ReadonlyArray<DueTiers>>
    /**
     * Locks the connection's row, calls `decide` with the row, and commits what `decide` returns (decision O8). Another
     * worker may have swept the connection since `due` was called, so `decide` gets the row as it is under the lock.
     * None: the connection has ended, or has no date left at which a sweep must handle it.
     */
    readonly sweep: <A>(
      connection: ConnectionKey,
      decide: (state: Dated, now: Timestamp) => Sweep<A>
    ) => StoreEffect<Option.Option<A>>
  }
>() {}
