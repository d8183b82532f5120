import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type StoreError, type Timestamp } from "@place-access/domain/shared"
import { DateTime, Effect } from "effect"
import * as Failures from "./Failures.js"

/** Tables split by month, so that retention drops a partition instead of deleting rows one by one. */
const TABLES = [
  { table: "fixes", column: "captured_at" },
  { table: "access_log", column: "at" },
  { table: "delivery_attempts", column: "started_at" }
] as const

const MONTHS_BEFORE = 1
const MONTHS_AFTER = 2

/** One calendar month in UTC; `to` is exclusive. */
export interface Month {
  /** `2026_01` */
  readonly suffix: string
  readonly from: string
  readonly to: string
}

/** From the month before `now` to the second one after it. */
export const months = (now: Timestamp.Timestamp): ReadonlyArray<Month> => {
  const first = DateTime.startOf(DateTime.unsafeMake(now), "month")
  return Array.from({ length: MONTHS_BEFORE + 1 + MONTHS_AFTER }, (_, index) => {
    const from = DateTime.add(first, { months: index - MONTHS_BEFORE })
    const iso = DateTime.formatIso(from)
    return {
      suffix: iso.slice(0, 7).replace("-", "_"),
      from: iso,
      to: DateTime.formatIso(DateTime.add(from, { months: 1 }))
    }
  })
}

/**
 * Makes the partitions of the months around `now` that are missing and returns their names. Rows that came too early for
 * their month wait in the DEFAULT partition and are moved. Idempotent, and several processes may do it at once. Writers are
 * held up only while one partition is attached, and a row on its way to the DEFAULT partition at that moment is refused with a
 * passing error. Where a lock cannot be had in time the next run tries again.
 */
export const ensurePartitions = (
  now: Timestamp.Timestamp
): Effect.Effect<ReadonlyArray<string>, StoreError, SqlClient> =>
  Effect.gen(function* () {
    const made: Array<string> = []
    for (const { table, column } of TABLES) {
      for (const month of months(now)) {
        if (yield* ensure(table, column, month)) made.push(`${table}_${month.suffix}`)
      }
    }
    return made
  }).pipe(Failures.orStoreError, Effect.withSpan("Partitions.ensurePartitions"))

const ensure = (table: string, column: string, month: Month): Effect.Effect<boolean, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const name = `${table}_${month.suffix}`
    const exists = Effect.map(
      sql`SELECT 1 FROM pg_class WHERE oid = to_regclass(${name}) AND relispartition`,
      (rows) => rows.length > 0
    )
    if (yield* exists) return false
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        // Moving the rows of a month and checking what is left may take longer than an answer to anybody may.
        yield* sql`SET LOCAL statement_timeout = '5min'`
        // Parent first, as writers do. This lock lets them go on and holds up another process that is here.
        yield* sql`LOCK TABLE ONLY ${sql(table)} IN SHARE UPDATE EXCLUSIVE MODE`
        if (yield* exists) return false
        yield* sql`CREATE TABLE ${sql(name)} (LIKE ${sql(table)} INCLUDING ALL)`
        const standard = `${table}_default`
        yield* sql`LOCK TABLE ${sql(standard)} IN ACCESS EXCLUSIVE MODE`
        yield* sql`WITH early AS (
            DELETE FROM ${sql(standard)} WHERE ${sql(column)} >= ${month.from} AND ${sql(column)} < ${month.to} RETURNING *
          ) INSERT INTO ${sql(name)} SELECT * FROM early`
        // A bound is no place for a parameter; both were formatted here.
        yield* sql.unsafe(
          `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${month.from}') TO ('${month.to}')`
        )
        return true
      })
    )
  })
