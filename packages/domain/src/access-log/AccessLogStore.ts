import { Context } from "effect"
import type { AppId, ConnectionId, StoreEffect, UserId } from "../shared/index.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"

export interface AccessLogFilter {
  readonly appId?: AppId | undefined
  readonly purpose?: string | undefined
  /** Selects entries at this instant or later. */
  readonly from?: Timestamp | undefined
  /** Selects entries before this instant. */
  readonly to?: Timestamp | undefined
}

/** Identifies an entry of one user. The store finds an entry by this key with an index. */
export type AccessLogKey = Pick<AccessLogEntry, "at" | "id">

/**
 * How many answers about one user an app got for one purpose. `purpose` is the key that the requests named; null for
 * requests without a purpose.
 */
export interface CountedUses {
  readonly purpose: string | null
  readonly count: number
}

/**
 * How many requests and events of one app the access log has for one stretch of time (a result of
 * `AccessLogStore.tally`).
 */
export interface AppTally {
  readonly appId: AppId
  /** The stretch of time begins at `edges[edge]`, where `edges` is the argument of `tally`. */
  readonly edge: number
  readonly count: number
  /**
   * How many of `count` are requests of the app itself (`AccessLogEntry.isOfApp`). The others are events for the app,
   * and requests of the app's developer.
   */
  readonly requests: number
}

/** A connection whose last answer or event `AccessLogStore.lastAnswered` looks up. */
export interface AccessLogRequest {
  readonly connectionId: ConnectionId
  readonly appId: AppId
  /** When the connection ended; answers and events after this time do not count. Null: the connection has not ended. */
  readonly until: Timestamp | null
}

/** Stores what apps asked about each user, and what the apps learned. Decisions access-log-2, access-log-5 and P3. */
export class AccessLogStore extends Context.Tag("@place-access/domain/access-log/AccessLogStore")<
  AccessLogStore,
  {
    /**
     * Stores an entry and returns after the commit. Idempotent by user, time and id: when an event goes to two
     * endpoints, its entries have the same key, and the store keeps one of them.
     */
    readonly record: (entry: AccessLogEntry) => StoreEffect<void>
    /**
     * Stores an entry that stands for several calls. When the user has an entry with this time and id already, its
     * `times` becomes the greater of the two values. So repeated calls share one entry, even when they are stored at
     * the same time or out of order.
     */
    readonly recordRepeat: (entry: AccessLogEntry) => StoreEffect<void>
    /**
     * Stores an entry, unless the user already has an entry with one of the keys `keys`. The check does not see an
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
     * Counts answered requests of the app (`AccessLogEntry.isOfApp`) since `from`, inclusive, for each purpose. When an
     * app asked during a pause where the user is or was, this request does not count, because the answer disclosed
     * nothing (`Disclosure.PAUSED`). The result is ordered by count, greatest first, and then by the purpose's key.
     */
    readonly countUses: (userId: UserId, appId: AppId, from: Timestamp) => StoreEffect<ReadonlyArray<CountedUses>>
    /**
     * Counts, for each app and each stretch of time, the entries about requests of the app, requests of its developer
     * and events for the app. A stretch goes from one of the times `edges` (inclusive) to the next (exclusive); `edges`
     * has at least two times, ascending. Refused requests and events that were not sent are included, and an entry
     * counts `times` times. The result is ordered by edge, then app, and has no element for an app without an entry in
     * the stretch.
     */
    readonly tally: (userId: UserId, edges: ReadonlyArray<Timestamp>) => StoreEffect<ReadonlyArray<AppTally>>
    /**
     * For each connection, the time of the newest request of the app that was answered, or of the newest event that was
     * sent, whichever is later. A connection that has neither is not in the map. Requests of the app's developer do not
     * count (`AccessLogEntry.isOfDeveloper`).
     */
    readonly lastAnswered: (
      userId: UserId,
      requests: ReadonlyArray<AccessLogRequest>
    ) => StoreEffect<ReadonlyMap<ConnectionId, Timestamp>>
  }
>() {}
