import { Option } from "effect"
import type { Connection } from "../connection/Connection.js"
import { Cursor, program, Timestamp, type UserId } from "../shared/index.js"
import type { StoredFix } from "./Fix.js"
import { FixHistory } from "./FixHistory.js"
import * as HistoryQuery from "./HistoryQuery.js"
import * as LocalDays from "./LocalDays.js"
import * as Nearest from "./Nearest.js"

/**
 * The user's newest fix, of any age and accuracy, without fixes captured while the device was left behind (`Carried`).
 * None when the history has no such fix.
 */
export const latestFix = program("latestFix", function* (userId: UserId) {
  const newest = yield* (yield* FixHistory).newest(userId, yield* Timestamp.now, { from: null, until: null }, 1)
  return Option.fromNullable(newest[0])
})

/**
 * The fix nearest in time to `at`, before or after it, with its distance from `at`. Fixes that were captured while the
 * person had left the device behind do not count. Undefined when no fix is within the tolerance, and when `at` lies in
 * a stretch of history that the user deleted (`FixHistory.around`).
 */
export const nearestFix = program(
  "nearestFix",
  function* (userId: UserId, at: Timestamp.Timestamp, toleranceMs: number) {
    const around = yield* (yield* FixHistory).around(userId, yield* Timestamp.now, at, toleranceMs)
    return Nearest.of(at, around, toleranceMs)
  }
)

export interface FixPage {
  readonly fixes: ReadonlyArray<StoredFix>
  /** The cursor of the next page; null on the last page. It is valid only for the same connection and span. */
  readonly nextCursor: string | null
}

/** Checks a request for `listFixes`, and opens its cursor. */
export const checkFixes = program(
  "checkFixes",
  function* (connection: Pick<Connection, "id">, span: HistoryQuery.HistoryRequest, cursor: string | undefined) {
    const within = yield* HistoryQuery.checkRange(span)
    const query = JSON.stringify(["fixes", connection.id, within.from, within.until])
    return { within, query, after: cursor === undefined ? undefined : yield* Cursor.open(cursor, query) }
  }
)

/**
 * The user's fixes, oldest first (decisions §4). Fails with `Invalid` for a span that is empty or longer than
 * `HistoryQuery.MAX_RANGE_DAYS`, and for a cursor of another connection or span.
 */
export const listFixes = program(
  "listFixes",
  function* (
    connection: Pick<Connection, "id" | "userId">,
    span: HistoryQuery.HistoryRequest,
    limit: number,
    cursor: string | undefined
  ) {
    const { after, query, within } = yield* checkFixes(connection, span, cursor)
    const page = yield* (yield* FixHistory).range(connection.userId, yield* Timestamp.now, within, limit, after)
    const result: FixPage = {
      fixes: page.items,
      nextCursor: page.next === undefined ? null : yield* Cursor.seal(page.next, query)
    }
    return result
  }
)

/** The number of fixes on one calendar day. */
export interface Day {
  readonly date: string
  readonly fixes: number
  readonly firstAt: Timestamp.Timestamp
  readonly lastAt: Timestamp.Timestamp
}

/**
 * The local days of the span that have fixes, oldest first. Fails with `Invalid` for an unknown time zone, and for a
 * span that is empty or longer than `HistoryQuery.MAX_LOCAL_DAYS`.
 */
export const listDays = program("listDays", function* (userId: UserId, span: HistoryQuery.HistoryRequest, tz: string) {
  const { from, until, zone } = yield* HistoryQuery.checkDays(span, tz)
  const days = LocalDays.between(zone, from, until)
  const edges = [...days.map((day) => day.from), until]
  const tallies = yield* (yield* FixHistory).tally(userId, yield* Timestamp.now, edges)
  const result: ReadonlyArray<Day> = tallies.flatMap(({ edge, ...tally }) => {
    const day = days[edge]
    return day === undefined ? [] : [{ date: day.date, ...tally }]
  })
  return result
})
