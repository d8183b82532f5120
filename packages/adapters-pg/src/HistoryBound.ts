import type { SqlClient } from "@effect/sql/SqlClient"
import type { Timestamp, UserId } from "@place-access/domain/shared"
import * as Rows from "./Rows.js"

/** Over `h`, the row of `history_choices` or nulls, and a column `now`. No row: the owner never chose, and everything is kept (`History.DEFAULT`). */
export const CUTOFF = `CASE
  WHEN h.keep_days IS NULL THEN '-infinity'::timestamptz
  ELSE now - make_interval(hours => 24 * h.keep_days) END`

/**
 * `History.cutoff` of the user's choice as an SQL expression, for whoever reads history:
 * `AND captured_at > ${HistoryBound.cutoff(sql, userId, now)}`. Evaluated once for a statement, so indexes and partitions are chosen
 * by it. `-infinity`: everything is kept.
 */
export const cutoff = (sql: SqlClient, userId: UserId, now: Timestamp.Timestamp) =>
  sql`(SELECT ${sql.literal(CUTOFF)} FROM (SELECT ${Rows.at(now)}::timestamptz AS now) clock
       LEFT JOIN history_choices h ON h.user_id = ${userId})`
