import { Context } from "effect"
import type { AppId, ConnectionId, StoreEffect, UserId } from "../shared/index.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { AccessLogEntry } from "./AccessLogEntry.js"

export interface AccessLogFilter {
  readonly appId?: AppId | undefined
  readonly purpose?: string | undefined
  /** Inclusive: this instant counts. */
  readonly from?: Timestamp | undefined
  /** Exclusive: this instant no longer counts. */
  readonly to?: Timestamp | undefined
}

/** The key of a user's entry, by which an index finds it. */
export type AccessLogKey = Pick<AccessLogEntry, "at" | "id">

/** How many answers and events about one user an app got under one purpose; `purpose` null: without a purpose. */
export interface UseCounts {
  readonly purpose: string | null
  readonly count: number
}

/** The number of requests of one app, and of events for the app, in one stretch of time (`AccessLogStore.tally`). */
export interface AppTally {
  readonly appId: AppId
  /** The index, in the `edges` of `tally`, of the edge where the stretch begins. */
  readonly edge: number
  readonly count: number
  /** Those of `count` that are requests of the app, and not events. */
  readonly requests: number
}

/** A connection whose last answer `AccessLogStore.lastAnswered` looks up. */
export interface AccessLogRequest {
  readonly connectionId: ConnectionId
  readonly appId: AppId
  /** Answers after this moment do not count: the connection ended then. Null: all answers count. */
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
     * values. So repeated calls share one entry, even when they are stored at once or out of order.
     */
    readonly recordRepeat: (entry: AccessLogEntry) => StoreEffect<void>
    /**
     * Like `record`, unless the user has an entry with one of these keys. An entry whose transaction has not committed
     * is not seen.
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
     * Counts answered requests and sent events since `from`, inclusive, for each purpose. The most used purpose first,
     * then by the purpose's key.
     */
    readonly countUses: (userId: UserId, appId: AppId, from: Timestamp) => StoreEffect<ReadonlyArray<UseCounts>>
    /**
     * Counts the requests of each app and its events from each edge (inclusive) to the next (exclusive). Refused
     * requests and withheld events count too, and an entry counts `times` times. `edges`: at least two, ascending.
     * Ordered by edge, then app; an app without an entry in a stretch is left out there.
     */
    readonly tally: (userId: UserId, edges: ReadonlyArray<Timestamp>) => StoreEffect<ReadonlyArray<AppTally>>
    /**
     * The time of each connection's newest answered request or sent event. A connection that has neither is left out.
     */
    readonly lastAnswered: (
      userId: UserId,
      asked: ReadonlyArray<AccessLogRequest>
    ) => StoreEffect<ReadonlyMap<ConnectionId, Timestamp>>
  }
>() {}
