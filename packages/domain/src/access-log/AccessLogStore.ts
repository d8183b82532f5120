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

/** How often an app got an answer about one user under one purpose; `purpose` null: without a purpose. */
export interface UseCounts {
  readonly purpose: string | null
  readonly count: number
}

/** How often one app asked about a user, or was sent an event, between two edges. */
export interface AppTally {
  readonly appId: AppId
  /** The index of the edge where the stretch begins. */
  readonly edge: number
  readonly count: number
}

/** A connection whose last answer is to be found. */
export interface AccessLogRequest {
  readonly connectionId: ConnectionId
  readonly appId: AppId
  /** Answers after this moment do not count: the connection ended then. Null: all answers count. */
  readonly until: Timestamp | null
}

/** What apps asked about each user, and what they learned. Decisions access-log-2, access-log-5 and P3. */
export class AccessLogStore extends Context.Tag("@place-access/domain/access-log/AccessLogStore")<
  AccessLogStore,
  {
    /** Returns after the commit. Idempotent by user, time and id: an event to two endpoints is stored once. */
    readonly record: (entry: AccessLogEntry) => StoreEffect<void>
    /**
     * Like `record`. When the user has the entry already, its `times` becomes the greater of both values. So repeats,
     * also concurrent ones and those that arrive out of order, are one entry.
     */
    readonly recordRepeat: (entry: AccessLogEntry) => StoreEffect<void>
    /** Like `record`, unless the user has an entry with one of these keys. May miss an entry that is being written. */
    readonly recordUnless: (entry: AccessLogEntry, keys: ReadonlyArray<AccessLogKey>) => StoreEffect<void>
    /** Newest first. Entries of the same time are in the order of descending ids. */
    readonly list: (
      userId: UserId,
      filter: AccessLogFilter,
      limit: number,
      after: PagePosition | undefined
    ) => StoreEffect<Page<AccessLogEntry>>
    /** Counts requests with an answer and sent events since `from`, inclusive. Most used first, then by purpose. */
    readonly countUses: (userId: UserId, appId: AppId, from: Timestamp) => StoreEffect<ReadonlyArray<UseCounts>>
    /**
     * Counts what each app asked and was sent from each edge (inclusive) to the next (exclusive), refused requests
     * included, repeats with their `times`. `edges`: at least two, ascending. Ordered by edge, then app; an app is left
     * out of a stretch without its entries.
     */
    readonly tally: (userId: UserId, edges: ReadonlyArray<Timestamp>) => StoreEffect<ReadonlyArray<AppTally>>
    /** When each connection last got an answer. A connection that never got one is left out. */
    readonly lastAnswered: (
      userId: UserId,
      asked: ReadonlyArray<AccessLogRequest>
    ) => StoreEffect<ReadonlyMap<ConnectionId, Timestamp>>
  }
>() {}
