import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { UserId } from "@place-access/domain/shared"
import * as Rows from "../driver/Rows.js"

/**
 * Finds and removes rows of a user that are too old: past the user's choice, or past the retention time of the access
 * log.
 */

/** For each bound (`Table.until`), the SQL of the time up to which rows are deleted. */
export type RetentionBounds = Readonly<Record<Table["until"], Fragment>>

export interface Table {
  readonly name: string
  readonly key: string
  /** The SQL expression of the row's time that is compared with the bound. */
  readonly moment: string
  /**
   * Which bound applies: the user's choice (`cutoff`), or the time up to which access-log entries are deleted
   * (`log_until`). A row is deleted when its moment is at or before the bound.
   */
  readonly until: "cutoff" | "log_until"
  /** A further SQL condition that a row `t` must meet. */
  readonly only?: string
  /** The column to set to null. Absent: the whole row is deleted. */
  readonly clears?: string
}

// In `only`, `$user` stands for the user's id and `$until` for the bound; `isPast` inserts the values. A condition must
// name the user for each table, so that Citus sends the statement to one shard.

/**
 * An SQL condition on the device of the row `t`: a phone that sent nothing after the cutoff, or an imported file that
 * contained nothing after the cutoff.
 */
const IS_SILENT = `coalesce((SELECT coalesce(d.history_ends_at, d.last_seen_at) FROM devices d WHERE d.user_id = $user AND d.device_id = t.device_id),
    '-infinity') <= $until`

/**
 * The tables from which rows or columns are removed. Every table except `devices` has an index on user and moment. A
 * user has few devices, so reading all devices of a user is cheap. The stays of imported files are read through the
 * user's part of the primary key.
 */
export const TABLES: ReadonlyArray<Table> = [
  { name: "fixes", key: "user_id, captured_at, device_id, lat, lon", moment: "t.captured_at", until: "cutoff" },
  { name: "quarantined_fixes", key: "user_id, device_id, reading_key", moment: "t.received_at", until: "cutoff" },
  {
    name: "visit_reports",
    key: "user_id, device_id, report_key",
    moment: "coalesce(t.departure, t.arrival)",
    until: "cutoff",
    // A report that has only an arrival counts as old when the phone's next report is old, because the phone had left
    // by then.
    only: `(t.departure IS NOT NULL OR ${IS_SILENT} OR EXISTS (
             SELECT 1 FROM visit_reports l
             WHERE l.user_id = $user AND l.device_id = t.device_id AND coalesce(l.departure, l.arrival) > t.arrival
               AND coalesce(l.departure, l.arrival) <= $until))`
  },
  {
    name: "stays",
    key: "user_id, place_id, device_id, arrival",
    moment: "coalesce(t.departure, t.arrival)",
    until: "cutoff",
    only: `(t.departure IS NOT NULL OR ${IS_SILENT})`
  },
  {
    name: "stays",
    key: "user_id, place_id, device_id, arrival",
    // With `t.arrival` alone, PostgreSQL would read all of the user's stays by this column of the primary key.
    moment: "coalesce(t.arrival, t.departure)",
    until: "cutoff",
    // Every stay of an imported file ends at the file's newest entry at the latest, even if its stored departure is
    // later (`TOLD` in `VisitReads`). The array is computed once, and is empty for a user without such files. Then the
    // statement reads no stay.
    only: `t.device_id = ANY(ARRAY(
             SELECT d.device_id FROM devices d WHERE d.user_id = $user AND d.history_ends_at <= $until))`
  },
  {
    name: "devices",
    key: "user_id, device_id",
    moment: "to_timestamp((t.movement ->> 'heard_at')::bigint / 1000.0)",
    until: "cutoff",
    clears: "movement"
  },
  { name: "access_log", key: "user_id, at, entry_id", moment: "t.at", until: "log_until" }
]

/**
 * An SQL condition on the table `t`: rows of the user whose `moment` is at or before the bound of the table (`until`).
 */
const isPast = (sql: SqlClient, { moment, only = "true", until }: Table, userId: UserId, bounds: RetentionBounds) => {
  const bound = bounds[until]
  const parts = only
    .split(/(\$user|\$until)/)
    .map((part) => (part === "$user" ? sql`${userId}` : part === "$until" ? bound : sql.literal(part)))
  const rest = parts.reduce((all, part) => sql`${all}${part}`, sql``)
  return sql`t.user_id = ${userId} AND ${sql.literal(moment)} <= ${bound} AND ${rest}`
}

/** An SQL condition: the table has a row of the user that `isPast` selects. */
export const hasPast = (sql: SqlClient, table: Table, userId: UserId, bounds: RetentionBounds) =>
  sql`EXISTS (SELECT 1 FROM ${sql(table.name)} t WHERE ${isPast(sql, table, userId, bounds)})`

/**
 * Deletes the oldest `limit` rows that `isPast` selects, or clears their column `clears`. Returns the number of these
 * rows.
 */
export const removePast = (sql: SqlClient, table: Table, userId: UserId, bounds: RetentionBounds, limit: number) => {
  const [name, key] = [sql(table.name), sql.literal(table.key)]
  return Rows.affected(
    // A materialised CTE runs once. A sub-query may run once for each row, and then its LIMIT would limit nothing.
    sql`WITH old AS MATERIALIZED (
          SELECT ${sql.literal(table.key.replaceAll(/\w+/g, "t.$&"))} FROM ${name} t
          WHERE ${isPast(sql, table, userId, bounds)}
          ORDER BY ${sql.literal(table.moment)} LIMIT ${limit} FOR UPDATE OF t SKIP LOCKED
        )
        ${table.clears === undefined ? sql`DELETE FROM ${name}` : sql`UPDATE ${name} SET ${sql(table.clears)} = NULL`}
        WHERE user_id = ${userId} AND (${key}) IN (SELECT ${key} FROM old)`
  )
}
