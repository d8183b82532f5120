import { Effect } from "effect"
import type { Account } from "../accounts/Account.js"
import { getApp } from "../apps/readApps.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import { type AppId, Cursor, type EndpointId, NotFound, type Page, program, Timestamp } from "../shared/index.js"
import * as AppFigures from "./AppFigures.js"
import * as EndpointFigures from "./EndpointFigures.js"
import { type CallFilter, FiguresStore } from "./FiguresStore.js"

/**
 * The counts of one span of time, usually a day: it begins at one of the `edges` of `readAppFigures` and ends at the
 * next.
 */
export interface AppDay extends AppFigures.AppCounts {
  readonly from: Timestamp.Timestamp
  /** How many connections of the app began in this span of time. */
  readonly connected: number
}

export interface AppOverview {
  readonly users: number
  /** Whether `users` may lack older connections, because only the newest `COUNTED_MAX` are counted. */
  readonly isAtMax: boolean
  /** The counts of each span of time for which `readAppFigures` was asked, oldest first. */
  readonly days: ReadonlyArray<AppDay>
}

/**
 * An app's figures for each span of time. A span goes from one of the times `edges`, which must be ascending, to the
 * next. Fails with `NotFound` when the account is not in the app's team. Counts of the last seconds may be missing.
 */
export const readAppFigures = program(
  "readAppFigures",
  function* (account: Account, appId: AppId, edges: ReadonlyArray<Timestamp.Timestamp>) {
    yield* getApp(account, appId, "read")
    const store = yield* FiguresStore
    const [from, to] = [edges[0] ?? Timestamp.make(0), edges.at(-1) ?? Timestamp.make(0)]
    const hours = yield* store.hours(appId, from, to)
    const users = yield* store.users(appId, from)
    const counts = AppFigures.between(hours, edges)
    const days = counts.map((own, index): AppDay => {
      const [begin, end] = [edges[index] ?? from, edges[index + 1] ?? to]
      const those = users.connected.filter(({ hour }) => hour >= begin && hour < end)
      return { ...own, from: begin, connected: those.reduce((sum, { count }) => sum + count, 0) }
    })
    return { users: users.live, isAtMax: users.isAtMax, days } satisfies AppOverview
  }
)

/**
 * The app's request log, newest first. Fails with `NotFound` when the account is not in the app's team, and with
 * `Invalid` for a cursor of another list.
 */
export const listAppCalls = program(
  "listAppCalls",
  function* (account: Account, appId: AppId, filter: CallFilter, page: Page.PageRequest) {
    yield* getApp(account, appId, "read")
    const store = yield* FiguresStore
    const { items, nextCursor } = yield* Cursor.page(
      `calls of ${appId} ${String(filter.refusedOnly)}`,
      page,
      (limit, after) => store.calls(appId, filter, limit, after)
    )
    return { calls: items, nextCursor }
  }
)

export interface EndpointOverview {
  readonly health: EndpointFigures.EndpointHealth
  /** Deliveries that wait for an attempt, counted up to `COUNTED_MAX`. */
  readonly waiting: number
  readonly lastDay: EndpointFigures.AttemptSummary
  readonly lastWeek: EndpointFigures.AttemptSummary
  /** The last 24 hours, oldest first. The last entry is the present hour. */
  readonly hours: ReadonlyArray<{
    readonly from: Timestamp.Timestamp
    readonly succeeded: number
    readonly failed: number
  }>
}

/**
 * The figures of one endpoint: health, waiting deliveries, and attempts of the last week. Fails with `NotFound` when
 * the account is not in the app's team, or the app has no endpoint with this id.
 */
export const readEndpointFigures = program(
  "readEndpointFigures",
  function* (account: Account, appId: AppId, endpointId: EndpointId) {
    yield* getApp(account, appId, "read")
    const found = yield* (yield* EndpointStore).find(appId, endpointId)
    yield* Effect.mapError(found, () => new NotFound({ what: "endpoint" }))
    const store = yield* FiguresStore
    const now = yield* Timestamp.now
    const week = sinceOf(now, 7 * Timestamp.DAY)
    const counts = yield* store.attempts(appId, endpointId, week)
    const waiting = yield* store.waiting(appId, endpointId)
    const newest = (yield* store.newest(appId, week)).find((one) => one.endpointId === endpointId)
    const day = sinceOf(now, Timestamp.DAY)
    return {
      health: newest === undefined ? EndpointFigures.UNKNOWN : EndpointFigures.health(newest),
      waiting,
      lastDay: EndpointFigures.summary(counts, day),
      lastWeek: EndpointFigures.summary(counts, week),
      hours: Array.from({ length: 24 }, (_, index) => {
        const from = Timestamp.plus(day, index * Timestamp.HOUR)
        const those = counts.filter(({ hour }) => hour === from)
        const sum = (isSuccess: boolean) =>
          those.reduce((all, one) => (one.isSuccess === isSuccess ? all + one.attempts : all), 0)
        return { from, succeeded: sum(true), failed: sum(false) }
      })
    } satisfies EndpointOverview
  }
)

/** The beginning of a period of `span` milliseconds that ends at the end of the present hour. */
const sinceOf = (now: Timestamp.Timestamp, span: number): Timestamp.Timestamp =>
  Timestamp.plus(AppFigures.hourOf(now), Timestamp.HOUR - span)

/**
 * Whether the newest attempt at each endpoint of the app succeeded. An endpoint without an attempt in the last week is
 * not in the map. Fails with `NotFound` when the account is not in the app's team.
 */
export const readEndpointHealth = program("readEndpointHealth", function* (account: Account, appId: AppId) {
  yield* getApp(account, appId, "read")
  const now = yield* Timestamp.now
  const newest = yield* (yield* FiguresStore).newest(appId, sinceOf(now, 7 * Timestamp.DAY))
  return new Map(newest.map((one) => [one.endpointId, EndpointFigures.health(one)]))
})
