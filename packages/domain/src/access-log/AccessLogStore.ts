import { Context } from "effect"
import type { AppId, ConnectionId, StoreEffect, UserId } from "../shared/index.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"

export interface AccessLogFilter {
  readonly appId?: AppId | undefined
  readonly purpose?: string | undefined
  /** Entries at this instant or later match. */
  readonly from?: Timestamp | undefined
  /** Entries before this instant match. */
  readonly to?: Timestamp | undefined
}

/** Identifies an entry of one user. The store finds an entry by this key with an index. */
export type AccessLogKey = Pick<AccessLogEntry, "at" | "id">

/**
 * How many answers about one user an app got. `purpose`: the key that the requests named; null for requests without a
 * purpose.
 */
export interface UseCounts {
  readonly purpose: string | null
  readonly count: number
}

/** How many requests and events of one app the access log has in one stretch of time (`AccessLogStore.tally`). */
export interface AppTally {
  readonly appId: AppId
  /** The index, in the `edges` of `tally`, of the edge where the stretch begins. */
  readonly edge: number
  readonly count: number
  /** How many of `count` are requests of the app (`AccessLogEntry.isOfApp`), and not events or its developer's. */
  readonly requests: number
}

/** A connection whose last answer `AccessLogStore.lastAnswered` looks up. */
export interface AccessLogRequest {
  readonly connectionId: ConnectionId
  readonly appId: AppId
  /**
   * When the connection ended: later answers do not count. Null: the connection has not ended, so all answers count.
   */
  readonly until: Timestamp | null
}

/** What apps asked about each user, and what the apps learned. Decisions access-log-2, access-log-5 and P3. */
export class AccessLogStore extends Context.Tag("@place-access/domain/access-log/AccessLogStore")<
  AccessLogStore,
  {
    /**
     * Returns after the commit. Idempotent by user, time and id: the entries of an event that goes to two endpoints
     * have the same key, so the store keeps one.
     */
    readonly record: (entry: AccessLogEntry) => StoreEffect<void>
    /**
     * Like `record`. When the user has an entry with this time and id already, its `times` becomes the greater of both
     * values. So repeated calls share one entry, even when they are stored at the same time or out of order.
     */
    readonly recordRepeat: (entry: AccessLogEntry) => StoreEffect<void>
    /**
     * Like `record`, but stores nothing when the user has an entry with one of these keys. The check does not see an
     * entry whose transaction has not committed.
     */
    readonly recordUnless: (entry: AccessLogEntry, keys: ReadonlyArray<AccessLogKey>) => StoreEffect<void>
    /** The entries that match the filter, newest first. Entries of the same time are in the order of descending ids. */
    readonly list: (
      userId: UserId,
      filter: AccessLogFilter,
      limit: number,
      after: PagePosition | undefined
    ) => StoreEffect<Page<AccessLogEntry>>
    /**
     * Counts answered requests of the app (`AccessLogEntry.isOfApp`) since `from`, inclusive, for each purpose. The
     * most used purpose first, then by the purpose's key.
     */
    readonly countUses: (userId: UserId, appId: AppId, from: Timestamp) => StoreEffect<ReadonlyArray<UseCounts>>
    /**
     * Counts, for each app, its requests, the requests of its developer and the events for it, in each stretch of time
     * from one edge (inclusive) to the next (exclusive). Refused requests and events that were not sent count too, and
     * an entry counts `times` times. `edges`: at least two, ascending. The result is ordered by edge, then app. It has
     * no element for an app without an entry in the stretch.
     */
    readonly tally: (userId: UserId, edges: ReadonlyArray<Timestamp>) => StoreEffect<ReadonlyArray<AppTally>>
    /**
     * The time of each connection's newest answered request of the app or sent event. A connection that has neither is
     * not in the map. Requests of the app's developer do not count (`AccessLogEntry.isOfDeveloper`).
     */
    readonly lastAnswered: (
      userId: UserId,
      asked: ReadonlyArray<AccessLogRequest>
    ) => StoreEffect<ReadonlyMap<ConnectionId, Timestamp>>
  }
>() {}
