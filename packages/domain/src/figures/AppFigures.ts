// The hourly counts of an app's calls and of the firings of rules, and the entries of the log of its calls. Decisions
// figures-1 and figures-2.
import type { AppId } from "../shared/Ids.js"
import { DAY, HOUR, make, type Timestamp } from "../shared/Timestamp.js"

/**
 * One call of an app, for the app's developer. It says nothing about a person: the route has the names of its
 * parameters and not their values, and neither the user nor an address is stored.
 */
export interface LoggedCall {
  readonly appId: AppId
  readonly at: Timestamp
  /** The `X-Request-Id` header of the answer. */
  readonly requestId: string
  /** The method and the route, such as `GET /v1/answers/places/{place_id}/presence`. */
  readonly endpoint: string
  readonly status: number
  /** The error code in the answer; null when the call succeeded. */
  readonly error: string | null
}

/** The counts about an app. Every number is a sum, except `peakPercent`, which is a maximum. */
export interface AppCounts {
  readonly calls: number
  /** Answers with 4xx, 429 included. */
  readonly refused: number
  /** Answers with 429. */
  readonly limited: number
  /** Answers with 5xx: faults of the service. */
  readonly failed: number
  /**
   * Calls that were counted, and that the request log does not list because of its limits (`Tally.LISTED_ANSWERS`,
   * `Tally.LISTED_OF_APP`, `Tally.LISTED`).
   */
  readonly unlisted: number
  /** How often rules fired. A firing counts once, however many endpoints get its event. */
  readonly firings: number
  /** The greatest share of the rate limit that any one connection used within a window of this limit, in percent. */
  readonly peakPercent: number
}

/** The counts of one app in the hour that begins at `hour`. */
export interface AppHour extends AppCounts {
  readonly appId: AppId
  readonly hour: Timestamp
}

export const NOTHING: AppCounts = {
  calls: 0,
  refused: 0,
  limited: 0,
  failed: 0,
  unlisted: 0,
  firings: 0,
  peakPercent: 0
}

/** How long entries of the request log are kept, in milliseconds. */
export const CALLS_KEPT = 7 * DAY
/**
 * How long the counts are kept, in milliseconds. A page shows 14 local days, which are longer than 14 times 24 hours
 * when the clocks go back.
 */
export const HOURS_KEPT = 16 * DAY

/** The beginning of the hour in UTC that contains `at`. */
export const hourOf = (at: Timestamp): Timestamp => make(Math.floor(at / HOUR) * HOUR)

/**
 * The counts of one call. `peakPercent` is the share of the rate limit that the call's connection has used; null when
 * no rate limit applies to the call.
 */
export const countsOf = ({ status }: Pick<LoggedCall, "status">, peakPercent: number | null): AppCounts => ({
  ...NOTHING,
  calls: 1,
  refused: status >= 400 && status < 500 ? 1 : 0,
  limited: status === 429 ? 1 : 0,
  failed: status >= 500 ? 1 : 0,
  peakPercent: peakPercent ?? 0
})

/** Adds the counts `a` and `b`. `peakPercent` is the greater of the two. */
export const add = (a: AppCounts, b: AppCounts): AppCounts => ({
  calls: a.calls + b.calls,
  refused: a.refused + b.refused,
  limited: a.limited + b.limited,
  failed: a.failed + b.failed,
  unlisted: a.unlisted + b.unlisted,
  firings: a.firings + b.firings,
  peakPercent: Math.max(a.peakPercent, b.peakPercent)
})

/**
 * The counts of each span of time. A span goes from one of the times `edges` (inclusive) to the next (exclusive). An
 * hour belongs to the span in which it begins.
 */
export const between = (hours: ReadonlyArray<AppHour>, edges: ReadonlyArray<Timestamp>): ReadonlyArray<AppCounts> =>
  edges.slice(0, -1).map((from, index) => {
    const until = edges[index + 1] ?? from
    return hours.filter(({ hour }) => hour >= from && hour < until).reduce<AppCounts>(add, NOTHING)
  })

/** The share of a rate limit that is used up, in whole percent, rounded up. */
export const percentUsed = (limit: number, remaining: number): number =>
  limit <= 0 ? 0 : Math.ceil((100 * (limit - remaining)) / limit)
