import type { SqlClient } from "@effect/sql/SqlClient"
import type { HistoryStretch } from "@place-access/domain/fixes"
import type { DeviceId, Timestamp, UserId } from "@place-access/domain/shared"
import { reads } from "../driver/Client.js"
import * as Erasures from "../retention-choice/Erasures.js"
import * as HistoryBound from "../history/HistoryBound.js"
import * as Rows from "../driver/Rows.js"
import { COLUMNS, SHARED_COLUMNS } from "./StoredRow.js"

/**
 * The statements of `FixHistory`. Each statement reads `fixes` by the primary key, (user_id, captured_at, …). With a
 * limit, a statement stops when it has enough rows.
 */

type Time = Timestamp.Timestamp

/**
 * Reads the newest fixes. WITH TIES adds all other fixes of the last instant, so that a page never ends in the middle
 * of an instant. Therefore ORDER BY needs only the time, and the index has the rows in this order.
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

/**
 * Reads the fixes nearest to the moment `at`, on either side and within the tolerance. Reads no fix when the user
 * deleted the history of this moment. Each side is one index look-up, so the cost does not grow with the history.
 */
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

/**
 * Reads the oldest fixes between `from` (inclusive) and `until` (exclusive). WITH TIES adds all other fixes of the last
 * instant.
 */
export const rangeStatement = (
  sql: SqlClient,
  userId: UserId,
  now: Time,
  { from, until }: { readonly from: Time; readonly until: Time },
  limit: number
) => sql`
  SELECT ${SHARED_COLUMNS} FROM fixes
  WHERE ${kept(sql, userId, now)} AND captured_at >= ${Rows.at(from)} AND captured_at < ${Rows.at(until)}
  ORDER BY captured_at FETCH FIRST ${limit} ROWS WITH TIES`

interface OfDevice {
  readonly userId: UserId
  readonly deviceId: DeviceId
}

/** The SELECT of the fixes that one device captured between the first and the last time in `edges`. */
const ofDevice = (sql: SqlClient, { deviceId, userId }: OfDevice, now: Time, edges: ReadonlyArray<Time>) => sql`
  SELECT captured_at, received_at FROM fixes
  WHERE ${kept(sql, userId, now)} AND device_id = ${deviceId}
    AND captured_at >= ${Rows.at(edges[0] ?? now)} AND captured_at < ${Rows.at(edges.at(-1) ?? now)}`

/**
 * Counts the readings of a device between every two neighbouring edges, and how many of them arrived more than `lateMs`
 * after their capture. `width_bucket` returns how many edges are at or before a fix. `edge` is this number minus 1: the
 * index, from 0, of the last of these edges.
 */
export const sentStatement = (
  sql: SqlClient,
  device: OfDevice,
  now: Time,
  edges: ReadonlyArray<Time>,
  lateMs: number
) => reads(sql)`
  SELECT width_bucket(captured_at, ${edges.map(Rows.at)}::timestamptz[]) - 1 AS edge,
         count(*) AS readings,
         count(*) FILTER (
           WHERE received_at - captured_at > make_interval(secs => ${lateMs}::double precision / 1000)) AS late,
         min(captured_at) AS first_at, max(captured_at) AS last_at
  FROM (${ofDevice(sql, device, now, edges)}) sent
  GROUP BY 1 ORDER BY 1`

export const silencesStatement = (
  sql: SqlClient,
  device: OfDevice,
  now: Time,
  edges: ReadonlyArray<Time>,
  silentMs: number
) => reads(sql)`
  SELECT before AS "from", captured_at AS "until"
  FROM (SELECT captured_at, lag(captured_at) OVER (ORDER BY captured_at) AS before
        FROM (${ofDevice(sql, device, now, edges)}) sent) following
  WHERE captured_at - before >= make_interval(secs => ${silentMs}::double precision / 1000)
  ORDER BY captured_at`

const kept = (sql: SqlClient, userId: UserId, now: Time) =>
  sql`user_id = ${userId} AND captured_at > ${HistoryBound.cutoff(sql, userId, now)}`
