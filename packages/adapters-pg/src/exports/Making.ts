import type { SqlClient } from "@effect/sql/SqlClient"
import type { ExportStore, LeasedExport } from "@place-access/domain/exports"
import type { Timestamp } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as Buckets from "../leases/Buckets.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import { COLUMNS, deletePieces, ExportRow, isOne, KeyRow, toExport } from "./ExportRow.js"

/** The methods of `ExportStore` for the worker that makes an export's archive. */

type Store = typeof ExportStore.Service

/**
 * An SQL condition on `exports`: an attempt to make the archive is due. From `leased_until` on, an earlier attempt
 * counts as dead. After the next claim, the store refuses pieces of the earlier attempt.
 */
const isDue = (sql: SqlClient, now: Timestamp.Timestamp) =>
  sql`state IN ('requested', 'making') AND (leased_until IS NULL OR leased_until <= ${Rows.at(now)})`

/** An SQL condition on `exports`: the attempt of `leased` still has the lease. */
const isHeld = (sql: SqlClient, leased: LeasedExport) =>
  sql`${isOne(sql, leased)} AND state = 'making' AND lease = ${leased.lease}`

export const due =
  (sql: SqlClient): Store["due"] =>
  (buckets, now) =>
    sql`SELECT user_id, export_id FROM exports WHERE ${isDue(sql, now)} ${Buckets.andOf(sql, buckets)}
        ORDER BY requested_at LIMIT 1`.pipe(
      Rows.first(KeyRow),
      Effect.map(Option.map((row) => ({ userId: row.user_id, id: row.export_id }))),
      orStoreError
    )

const ClaimedRow = Schema.Struct({ ...ExportRow.fields, attempts: Schema.Int })

export const claim =
  (sql: SqlClient): Store["claim"] =>
  (leased, now, dueAt) =>
    Effect.gen(function* () {
      const claimed = yield* sql`UPDATE exports SET state = 'making', lease = ${leased.lease},
            leased_until = ${Rows.at(dueAt)}, attempts = attempts + 1, done = 0, total = 0
          WHERE ${isOne(sql, leased)} AND ${isDue(sql, now)}
          RETURNING ${COLUMNS}, attempts`.pipe(Rows.first(ClaimedRow))
      if (Option.isSome(claimed)) yield* deletePieces(sql, leased)
      return Option.map(claimed, (row) => ({ export: toExport(row), attempt: row.attempts }))
    }).pipe(sql.withTransaction, orStoreError)

export const append =
  (sql: SqlClient): Store["append"] =>
  (leased, { position, sealed }, { done, total }, dueAt) =>
    sql`WITH held AS (
          UPDATE exports SET done = ${done}, total = ${total}, leased_until = ${Rows.at(dueAt)}
          WHERE ${isHeld(sql, leased)} RETURNING user_id, export_id
        )
        INSERT INTO export_pieces (user_id, export_id, position, sealed)
        SELECT user_id, export_id, ${position}::integer, ${sealed}::bytea FROM held`.pipe(
      Rows.affected,
      Effect.map((written) => written > 0),
      orStoreError
    )

export const renew =
  (sql: SqlClient): Store["renew"] =>
  (leased, { done, total }, dueAt) =>
    sql`UPDATE exports SET done = ${done}, total = ${total}, leased_until = ${Rows.at(dueAt)}
        WHERE ${isHeld(sql, leased)}`.pipe(
      Rows.affected,
      Effect.map((written) => written > 0),
      orStoreError
    )

export const handBack =
  (sql: SqlClient): Store["handBack"] =>
  (leased) =>
    orStoreError(
      Effect.asVoid(
        sql`UPDATE exports SET lease = NULL, leased_until = NULL, attempts = attempts - 1 WHERE ${isHeld(sql, leased)}`
      )
    )

export const finish =
  (sql: SqlClient): Store["finish"] =>
  (leased, end, mail, audit) =>
    Effect.gen(function* () {
      const setting =
        end._tag === "Ready"
          ? sql`state = 'ready', bytes = ${end.bytes}, pieces = ${end.pieces}, ready_at = ${Rows.at(end.at)},
                expires_at = ${Rows.at(end.expiresAt)}, done = total`
          : sql`state = 'failed', fault = ${end.fault}, ended_at = ${Rows.at(end.at)}`
      const finished = yield* Rows.affected(
        sql`UPDATE exports SET ${setting}, lease = NULL, leased_until = NULL WHERE ${isHeld(sql, leased)}`
      )
      if (finished === 0) return false
      if (end._tag === "Failed") yield* deletePieces(sql, leased)
      yield* MailOutbox.queue(sql, mail, end.at)
      if (audit !== undefined) yield* AuditLog.append(sql, audit)
      return true
    }).pipe(sql.withTransaction, orStoreError)
