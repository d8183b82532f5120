import type { SqlClient } from "@effect/sql/SqlClient"
import type { Timestamp, UserId } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"

/**
 * SQL: the user's cutoff. History from this time or earlier is no longer kept. The expression reads a column `now`, and
 * the user's row `h` of `history_choices`. A user who never chose has no row: `h` is null, and everything is kept
 * (`History.DEFAULT`).
 */
export const CUTOFF = `CASE
  WHEN h.keep_days IS NULL THEN '-infinity'::timestamptz
  ELSE now - make_interval(hours => 24 * h.keep_days) END`

/**
 * An SQL expression for the user's cutoff (`History.cutoff`), the time up to which history is no longer kept. For
 * statements that read history: `AND captured_at > ${HistoryBound.cutoff(sql, userId, now)}`. The database evaluates
 * the expression once for each statement, so that it can choose indexes and partitions by the result. `-infinity`:
 * everything is kept.
 */
export const cutoff = (sql: SqlClient, userId: UserId, now: Timestamp.Timestamp) =>
  sql`(SELECT ${sql.literal(CUTOFF)} FROM (SELECT ${Rows.at(now)}::timestamptz AS now) clock
       LEFT JOIN history_choices h ON h.user_id = ${userId})`
