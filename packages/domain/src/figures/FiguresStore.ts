import { Context } from "effect"
import type { AppId, EndpointId, Page, StoreEffect, Timestamp } from "../shared/index.js"
import type { PagePosition } from "../shared/Page.js"
import type { LoggedCall, AppHour } from "./AppFigures.js"
import type { AttemptCount, NewestAttempts } from "./EndpointFigures.js"
import type { FiguresBatch } from "./Tally.js"

/** Selects the calls that a page of the request log lists. */
export interface CallFilter {
  /** Only calls whose answer had an error code. */
  readonly refusedOnly: boolean
}

/** Counts of an app's connections. Only the app's newest `COUNTED_MAX` connections are counted. */
export interface UserCounts {
  /** The number of connections that have not ended. */
  readonly live: number
  /** Whether `COUNTED_MAX` connections were counted. Then the app may have older connections that are not counted. */
  readonly isAtMax: boolean
  /** How many counted connections began in each hour, oldest first. Hours without a new connection are left out. */
  readonly connected: ReadonlyArray<{ readonly hour: Timestamp.Timestamp; readonly count: number }>
}

/** The maximum number of rows that one count reads, so that a page never makes the database read a whole table. */
export const COUNTED_MAX = 10_000

/** Stores the figures that developers read about their apps. Decisions figures-1 to figures-3. */
export class FiguresStore extends Context.Tag("@place-access/domain/figures/FiguresStore")<
  FiguresStore,
  {
    /**
     * Adds the counts of the batch to the stored counts, and the calls of the batch to the request log, without calls
     * that the log already has.
     */
    readonly add: (batch: FiguresBatch) => StoreEffect<void>
    /** The app's counts of hours that begin from `from` (inclusive) to `to` (exclusive), oldest first. */
    readonly hours: (
      appId: AppId,
      from: Timestamp.Timestamp,
      to: Timestamp.Timestamp
    ) => StoreEffect<ReadonlyArray<AppHour>>
    /** The app's request log, newest first. Calls of the same time are in the order of descending request ids. */
    readonly calls: (
      appId: AppId,
      filter: CallFilter,
      limit: number,
      after: PagePosition | undefined
    ) => StoreEffect<Page.Page<LoggedCall>>
    /** The counted attempts at an endpoint in hours that begin at `from` or later, oldest first. */
    readonly attempts: (
      appId: AppId,
      endpointId: EndpointId,
      from: Timestamp.Timestamp
    ) => StoreEffect<ReadonlyArray<AttemptCount>>
    /**
     * The newest success and the newest failure at each endpoint of the app since `from`. An endpoint without an
     * attempt since `from` is left out.
     */
    readonly newest: (appId: AppId, from: Timestamp.Timestamp) => StoreEffect<ReadonlyArray<NewestAttempts>>
    /** The number of deliveries that wait for an attempt at the endpoint, counted up to `COUNTED_MAX`. */
    readonly waiting: (appId: AppId, endpointId: EndpointId) => StoreEffect<number>
    /**
     * The number of the app's live connections, and how many of its connections began at `from` or later, for each hour
     * in UTC.
     */
    readonly users: (appId: AppId, from: Timestamp.Timestamp) => StoreEffect<UserCounts>
  }
>() {}
