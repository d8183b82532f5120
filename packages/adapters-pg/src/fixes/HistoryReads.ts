import type { SqlClient } from "@effect/sql/SqlClient"
import type { HistoryStretch } from "@place-access/domain/fixes"
import type { Timestamp, UserId } from "@place-access/domain/shared"
import { reads } from "../client/Client.js"
import * as HistoryBound from "../HistoryBound.js"
import * as Rows from "../Rows.js"
import { COLUMNS } from "./StoredRow.js"

/** The statements of `FixHistory`: each walks the primary key of `fixes`, (user_id, captured_at, …), and stops where it is done. */

type Time = Timestamp.Timestamp

/** Whole instants, so that no page cuts one and nothing but the time needs to be in the index's order. */
export const newestStatement = (
  sql: SqlClient,
  userId: UserId,
  now: Time,
  { from, until }: HistoryStretch,
  limit: number
) => reads(sql)`
  SELECT ${sql.literal(COLUMNS)} FROM fixes
  WHERE ${kept(sql, userId, now)} AND NOT left_behind
    ${from === null ? sql`` : sql`AND captured_at >= ${Rows.at(from)}`}
    ${until === null ? sql`` : sql`AND captured_at < ${Rows.at(until)}`}
  ORDER BY captured_at DESC FETCH FIRST ${limit} ROWS WITH TIES`

/** One step in the index to either side of the moment, however much history there is on each. */
export const aroundStatement = (sql: SqlClient, userId: UserId, now: Time, at: Time, toleranceMs: number) => reads(sql)`
  (SELECT ${sql.literal(COLUMNS)} FROM fixes
   WHERE ${kept(sql, userId, now)} AND NOT left_behind
     AND captured_at >= ${Rows.at(at - toleranceMs)} AND captured_at <= ${Rows.at(at)}
   ORDER BY captured_at DESC FETCH FIRST 1 ROW WITH TIES)
  UNION ALL
  (SELECT ${sql.literal(COLUMNS)} FROM fixes
   WHERE ${kept(sql, userId, now)} AND NOT left_behind
     AND captured_at > ${Rows.at(at)} AND captured_at <= ${Rows.at(at + toleranceMs)}
   ORDER BY captured_at FETCH FIRST 1 ROW WITH TIES)`

/** From the beginning of the stretch, whole instants too. */
export const rangeStatement = (
  sql: SqlClient,
  userId: UserId,
  now: Time,
  { from, until }: { readonly from: Time; readonly until: Time },
  limit: number
) => sql`
  SELECT ${sql.literal(COLUMNS)} FROM fixes
  WHERE ${kept(sql, userId, now)} AND captured_at >= ${Rows.at(from)} AND captured_at < ${Rows.at(until)}
  ORDER BY captured_at FETCH FIRST ${limit} ROWS WITH TIES`

/** `edges` ascend; counts between the first and the last. */
export const tallyStatement = (sql: SqlClient, userId: UserId, now: Time, edges: ReadonlyArray<Time>) => sql`
  SELECT width_bucket(captured_at, ${edges.map(Rows.at)}::timestamptz[]) - 1 AS edge, count(*) AS fixes,
         min(captured_at) AS first_at, max(captured_at) AS last_at
  FROM fixes
  WHERE ${kept(sql, userId, now)}
    AND captured_at >= ${Rows.at(edges[0] ?? now)} AND captured_at < ${Rows.at(edges.at(-1) ?? now)}
  GROUP BY 1 ORDER BY 1`

const kept = (sql: SqlClient, userId: UserId, now: Time) =>
  sql`user_id = ${userId} AND captured_at > ${HistoryBound.cutoff(sql, userId, now)}`
