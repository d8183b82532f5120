import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type { AppFigures, EndpointFigures } from "@place-access/domain/figures"
import { Effect } from "effect"
import * as Rows from "../driver/Rows.js"

/**
 * The statements that add counts. On a single server one statement adds all rows of a kind. The statement locks the
 * rows in the order of their keys, so that two processes that count for the same apps do not deadlock.
 *
 * On a cluster all rows of a statement belong to one app, and the statement is an INSERT … VALUES, which Citus sends to
 * one node as one task. An INSERT … SELECT would send the rows through the coordinator.
 */

type Written = Effect.Effect<unknown, SqlError>

/**
 * How to insert rows of one kind: the table (`into`), its columns and their types, and what happens when a row with the
 * same key exists (`orElse`).
 */
interface CountTable<Row> {
  readonly into: string
  readonly columns: string
  readonly types: ReadonlyArray<string>
  readonly values: (row: Row) => ReadonlyArray<unknown>
  readonly key: string
  readonly orElse: string
}

const HOURS: CountTable<AppFigures.AppHour> = {
  into: "app_hours",
  columns: "app_id, hour, calls, refused, limited, failed, unlisted, firings, peak_percent",
  types: ["text", "timestamptz", "bigint", "bigint", "bigint", "bigint", "bigint", "bigint", "integer"],
  values: (row) => [
    row.appId,
    Rows.at(row.hour),
    row.calls,
    row.refused,
    row.limited,
    row.failed,
    row.unlisted,
    row.firings,
    row.peakPercent
  ],
  key: "app_id, hour",
  orElse: `DO UPDATE SET
    calls = present.calls + excluded.calls,
    refused = present.refused + excluded.refused,
    limited = present.limited + excluded.limited,
    failed = present.failed + excluded.failed,
    unlisted = present.unlisted + excluded.unlisted,
    firings = present.firings + excluded.firings,
    peak_percent = greatest(present.peak_percent, excluded.peak_percent)`
}

const ATTEMPTS: CountTable<EndpointFigures.AttemptCount> = {
  into: "endpoint_hours",
  columns: "app_id, endpoint_id, hour, is_success, up_to_millis, attempts, last_at, error",
  types: ["text", "text", "timestamptz", "boolean", "integer", "bigint", "timestamptz", "text"],
  values: (row) => [
    row.appId,
    row.endpointId,
    Rows.at(row.hour),
    row.isSuccess,
    row.upToMillis,
    row.attempts,
    Rows.at(row.lastAt),
    Rows.storable(row.error)
  ],
  key: "app_id, endpoint_id, hour, is_success, up_to_millis",
  orElse: `DO UPDATE SET
    attempts = present.attempts + excluded.attempts,
    error = CASE WHEN excluded.last_at >= present.last_at THEN excluded.error ELSE present.error END,
    last_at = greatest(present.last_at, excluded.last_at)`
}

const CALLS: CountTable<AppFigures.LoggedCall> = {
  into: "app_calls",
  columns: "app_id, at, request_id, endpoint, status, error",
  types: ["text", "timestamptz", "text", "text", "integer", "text"],
  values: (row) => [row.appId, Rows.at(row.at), row.requestId, row.endpoint, row.status, row.error],
  key: "app_id, at, request_id",
  orElse: "DO NOTHING"
}

type Add = <Row>(table: CountTable<Row>, rows: ReadonlyArray<Row>) => Written

/**
 * Returns the functions that add rows, one for each kind of rows. When `onCluster` is true, all rows of one call must
 * belong to one app.
 */
export const adding = (sql: SqlClient, onCluster: boolean) => {
  const add: Add = onCluster ? addOfApp(sql) : addAll(sql)
  return {
    hours: (rows: ReadonlyArray<AppFigures.AppHour>) => add(HOURS, rows),
    attempts: (rows: ReadonlyArray<EndpointFigures.AttemptCount>) => add(ATTEMPTS, rows),
    calls: (rows: ReadonlyArray<AppFigures.LoggedCall>) => add(CALLS, rows)
  }
}

const statement = <Row>(sql: SqlClient, { columns, into, key, orElse }: CountTable<Row>, rows: Fragment) =>
  sql`INSERT INTO ${sql.literal(into)} AS present (${sql.literal(columns)}) ${rows}
      ON CONFLICT (${sql.literal(key)}) ${sql.literal(orElse)}`

const addAll =
  (sql: SqlClient): Add =>
  (table, rows) => {
    if (rows.length === 0) return Effect.void
    const lists = rows.map(table.values)
    const columns = table.types.map(
      (type, index) => sql`${lists.map((values) => values[index])}::${sql.literal(type)}[]`
    )
    return statement(
      sql,
      table,
      sql`SELECT * FROM unnest(${sql.csv(columns)}) AS given (${sql.literal(table.columns)})
          ORDER BY ${sql.literal(table.key)}`
    )
  }

const addOfApp =
  (sql: SqlClient): Add =>
  (table, rows) =>
    Effect.forEach(
      inPowersOfTwo(rows),
      (some) => {
        const values = some.map((row) => sql`(${sql.csv(table.values(row).map((value) => sql`${value}`))})`)
        return statement(sql, table, sql`VALUES ${sql.csv(values)}`)
      },
      { discard: true }
    )

/**
 * Splits the rows into parts of 32, 16, 8, 4, 2 and 1. Each number of rows gives another text of the statement, which
 * the server prepares separately, so few different numbers are better.
 */
const inPowersOfTwo = <Row>(rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const parts: Array<ReadonlyArray<Row>> = []
  for (let from = 0, size = 32; from < rows.length;) {
    if (rows.length - from < size) size /= 2
    else {
      parts.push(rows.slice(from, from + size))
      from += size
    }
  }
  return parts
}
