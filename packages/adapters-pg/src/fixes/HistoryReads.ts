import type { SqlClient } from "@effect/sql/SqlClient"
import type { HistoryStretch } from "@place-access/domain/fixes"
import type { Timestamp, UserId } from "@place-access/domain/shared"
import { reads } from "../driver/Client.js"
import * as Erasures from "../retention-choice/Erasures.js"
import * as HistoryBound from "../history/HistoryBound.js"
import * as Rows from "../driver/Rows.js"
import { COLUMNS } from "./StoredRow.js"

/**
 * The statements of `FixHistory`. Each one walks the primary key of `fixes`, (user_id, captured_at, …), and stops when
 * it has enough rows.
 */

type Time = Timestamp.Timestamp

/**
 * Returns all fixes of the last instant (WITH TIES): a page never splits an instant, and the order by time alone, which
 * the index has, is enough.
 */
export const newestStatement = (
  sql: SqlClient,
  userId: UserId,
  now: Time,
  { from, until }: HistoryStretch,
  limit: number
) => reads(sql)`
  SELECT ${COLUMNS} FROM fixes
  WHERE ${kept(sql, userId, now)} AND NOT left_behind
    ${from === null ? sql`` : sql`AND captured_at >= ${Rows.at(from)}`}
    ${until === null ? sql`` : sql`AND captured_at < ${Rows.at(until)}`}
  ORDER BY captured_at DESC FETCH FIRST ${limit} ROWS WITH TIES`

/** Reads one index entry to either side of the moment. The amount of history does not matter. */
export const aroundStatement = (sql: SqlClient, userId: UserId, now: Time, at: Time, toleranceMs: number) => reads(sql)`
  (SELECT ${COLUMNS} FROM fixes
   WHERE ${kept(sql, userId, now)} AND NOT left_behind
     AND NOT ${Erasures.covering(sql, userId, at)}
     AND captured_at >= ${Rows.at(at - toleranceMs)} AND captured_at <= ${Rows.at(at)}
   ORDER BY captured_at DESC FETCH FIRST 1 ROW WITH TIES)
  UNION ALL
  (SELECT ${COLUMNS} FROM fixes
   WHERE ${kept(sql, userId, now)} AND NOT left_behind
     AND NOT ${Erasures.covering(sql, userId, at)}
     AND captured_at > ${Rows.at(at)} AND captured_at <= ${Rows.at(at + toleranceMs)}
   ORDER BY captured_at FETCH FIRST 1 ROW WITH TIES)`

/** The oldest fixes of the stretch first, and again all fixes of the last instant. */
export const rangeStatement = (
  sql: SqlClient,
  userId: UserId,
  now: Time,
  { from, until }: { readonly from: Time; readonly until: Time },
  limit: number
) => sql`
  SELECT ${COLUMNS} FROM fixes
  WHERE ${kept(sql, userId, now)} AND captured_at >= ${Rows.at(from)} AND captured_at < ${Rows.at(until)}
  ORDER BY captured_at FETCH FIRST ${limit} ROWS WITH TIES`

const kept = (sql: SqlClient, userId: UserId, now: Time) =>
  sql`user_id = ${userId} AND captured_at > ${HistoryBound.cutoff(sql, userId, now)}`
