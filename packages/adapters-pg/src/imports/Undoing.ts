import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { Import, type ImportStore, type Leased } from "@place-access/domain/imports"
import { DeviceId, Timestamp } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as UploadStream from "../history/UploadStream.js"
import { orStoreError } from "../Failures.js"
import * as FixCounts from "../history/FixCounts.js"
import * as Erasures from "../retention-choice/Erasures.js"
import { ifFirst } from "../fixes/HistoryStatement.js"
import { heardBeforeStatement } from "../visits/VisitReads.js"
import { COLUMNS, deletePieces, ImportRow, isOne, toImport } from "./ImportRow.js"

/** The methods of `ImportStore` that undo an import. All rows are on the user's shard. */

type Store = typeof ImportStore.Service

export const begin =
  (sql: SqlClient): Store["beginUndo"] =>
  (of) =>
    Effect.gen(function* () {
      const begun = yield* sql`UPDATE imports SET state = 'undoing', lease = NULL, leased_until = NULL, attempts = 0
          WHERE ${isOne(sql, of)} AND state <> 'uploading' RETURNING ${COLUMNS}`.pipe(Rows.first(ImportRow))
      // While the file is still being uploaded, no undo begins, and the pieces of the file are kept.
      if (Option.isSome(begun)) yield* deletePieces(sql, of)
      return Option.map(begun, toImport)
    }).pipe(sql.withTransaction, orStoreError)

const HeldRow = Schema.Struct({ device_id: DeviceId })
const SpanRow = Schema.Struct({ first_at: Rows.NullableAt, last_at: Rows.NullableAt })

export const undo =
  (sql: SqlClient): Store["undo"] =>
  (leased, after) =>
    Effect.gen(function* () {
      // From this lock until the end of the transaction, the user's uploads and the derivations of the user's stays
      // wait. After the transaction, they read the user's state again.
      yield* UploadStream.lock(sql, leased.userId, 1)
      const leasedRow = yield* sql`SELECT device_id FROM imports
          WHERE ${isOne(sql, leased)} AND state = 'undoing' AND lease = ${leased.lease} FOR UPDATE`.pipe(
        Rows.first(HeldRow)
      )
      if (Option.isNone(leasedRow)) return "lost" as const
      const of = { ...leased, devices: yield* devicesOf(sql, leased, leasedRow.value.device_id) }
      const span = yield* sql`SELECT min(captured_at) AS first_at, max(captured_at) AS last_at FROM (
            SELECT captured_at FROM fixes WHERE user_id = ${leased.userId} AND device_id = ANY(${of.devices}::text[])
              AND ${after === null ? sql`true` : sql`captured_at > ${Rows.at(after)}`}
            ORDER BY captured_at LIMIT ${Import.UNDO_STEP}
          ) earliest`.pipe(Rows.first(SpanRow))
      const { first_at: from, last_at: until } = Option.getOrElse(span, () => ({ first_at: null, last_at: null }))
      if (from === null || until === null) return yield* forget(sql, of)
      const isGoing = (table: string) =>
        sql`${sql(table)}.user_id = ${leased.userId} AND ${sql(table)}.device_id = ANY(${of.devices}::text[])
            AND ${sql(table)}.captured_at BETWEEN ${Rows.at(from)} AND ${Rows.at(until)}`
      yield* sql`WITH kept AS (
            UPDATE fixes f SET device_id = heir.device_id, also_from = array_remove(f.also_from, heir.device_id)
            FROM devices heir
            WHERE ${isGoing("f")} AND f.also_from IS NOT NULL AND ${isHeir(sql, of, "f")}
            RETURNING heir.device_id, f.captured_at
          ), span AS (
            SELECT device_id, min(captured_at) AS first_at, max(captured_at) AS last_at FROM kept GROUP BY device_id
          )
          UPDATE devices device SET
            stays_due_from = least(stays_due_from, span.first_at, ${ifFirst(sql, "shared_from")}),
            history_ends_at = greatest(history_ends_at, span.last_at, ${ifFirst(sql, "shared_until")})
          FROM span WHERE device.user_id = ${leased.userId} AND device.device_id = span.device_id`
      // `eraseFromRemoved` reads from the rows of `fixes` which removed imports had the same fixes, so the fixes are
      // deleted only afterwards.
      const shortened = yield* eraseFromRemoved(sql, leased, isGoing("fixes"))
      yield* sql`DELETE FROM fixes WHERE ${isGoing("fixes")}`
      for (const one of shortened) yield* shorten(sql, leased, one)
      yield* FixCounts.recount(sql, leased.userId, { from, until: Timestamp.plus(until, 1) })
      return until
    }).pipe(sql.withTransaction, orStoreError)

const SharedRow = Schema.Struct({ device_id: DeviceId, first_at: Rows.At, last_at: Rows.At })
const EndsRow = Schema.Struct({ is_end: Schema.Boolean })

/**
 * Deletes stays of removed imports. When an owner removes an import from the list, its entries stay
 * (`ImportStore.remove`). The stays of this removed import were also derived from the fixes that it shares with the
 * import that is being undone. So this function deletes the stays that began between the first and the last shared fix
 * that is deleted now (`isGoing`: an SQL condition on `fixes`), and makes a worker derive the stays anew from the time
 * of the first such fix on. The worker alone would keep the stays from before the first fix that is left, as it does
 * after retention. Returns the devices whose newest fix is deleted now.
 */
const eraseFromRemoved = (sql: SqlClient, { userId }: Leased, isGoing: Fragment) =>
  Effect.gen(function* () {
    const shared = yield* sql`SELECT also.device_id, min(fixes.captured_at) AS first_at,
            max(fixes.captured_at) AS last_at
          FROM fixes CROSS JOIN LATERAL unnest(fixes.also_from) AS also (device_id)
          WHERE ${isGoing} GROUP BY also.device_id`.pipe(Rows.all(SharedRow))
    const shortened: Array<typeof SharedRow.Type> = []
    for (const one of shared) {
      // A device without `history_ends_at` has no stays: its file brought no new entry.
      const updated = yield* sql`UPDATE devices SET stays_due_from = least(stays_due_from, ${Rows.at(one.first_at)})
          WHERE user_id = ${userId} AND device_id = ${one.device_id} AND history_ends_at IS NOT NULL
          RETURNING history_ends_at <= ${Rows.at(one.last_at)} AS is_end`.pipe(Rows.first(EndsRow))
      if (Option.isNone(updated)) continue
      yield* sql`DELETE FROM stays WHERE user_id = ${userId} AND device_id = ${one.device_id}
          AND arrival BETWEEN ${Rows.at(one.first_at)} AND ${Rows.at(one.last_at)}`
      if (updated.value.is_end) shortened.push(one)
    }
    return shortened
  })

/**
 * Sets `history_ends_at` of a removed import to the time of its newest entry that is left. If no entry is left, sets it
 * to the time of the first deleted fix (`first_at`).
 */
const shorten = (sql: SqlClient, { userId }: Leased, { device_id, first_at, last_at }: typeof SharedRow.Type) =>
  sql`UPDATE devices SET history_ends_at = coalesce(greatest(
        (${heardBeforeStatement(sql, userId, device_id, Timestamp.plus(last_at, 1))}),
        (SELECT max(coalesce(departure, arrival)) FROM visit_reports
         WHERE user_id = ${userId} AND device_id = ${device_id})), ${Rows.at(first_at)})
      WHERE user_id = ${userId} AND device_id = ${device_id}`

/**
 * An import that is being undone, with the devices whose history it stored: its own device, and one device for each
 * device of an archive.
 */
interface Undone extends Leased {
  readonly devices: ReadonlyArray<DeviceId>
}

const devicesOf = (sql: SqlClient, { userId }: Leased, deviceId: DeviceId) =>
  sql`SELECT device_id FROM devices WHERE user_id = ${userId} AND ${deviceId} IN (device_id, part_of)`.pipe(
    Rows.all(HeldRow),
    Effect.map((rows) => rows.map(({ device_id }) => device_id))
  )

/**
 * An SQL condition on `devices heir`: `heir` takes over this row of `table` when the import that stored the row is
 * undone. The heir is the first device in the row's `also_from` that belongs to another import that still exists and is
 * not being undone. The devices of a removed import still exist, but nobody could undo that import any more, so they
 * take over nothing. An import that is being undone takes over nothing, because its own undo may have passed the time
 * of the row already.
 */
const isHeir = (sql: SqlClient, { devices, userId }: Undone, table: string) =>
  sql`heir.user_id = ${userId} AND heir.device_id = (
        SELECT o.device_id FROM devices o
        WHERE o.user_id = ${userId} AND o.format = 'import' AND o.device_id <> ALL(${devices}::text[])
          AND o.device_id = ANY(${sql(table)}.also_from)
          AND EXISTS (
            SELECT 1 FROM imports i
            WHERE i.user_id = ${userId} AND i.device_id IN (o.device_id, o.part_of) AND i.state <> 'undoing')
        ORDER BY array_position(${sql(table)}.also_from, o.device_id) LIMIT 1)`

/**
 * Runs when no fix of the import is left. A visit that another import brought too is handed over to that import. All
 * other visits, the stays, the devices, the deleted stretches of an archive and the import itself are deleted. A visit
 * is also deleted if that other import has an equal visit already: the deletion of a stretch of history may have
 * shortened two reports to the same times. When two devices of this import have equal visits, only the first visit is
 * handed over.
 */
const forget = (sql: SqlClient, of: Undone) =>
  Effect.gen(function* () {
    const { devices, userId } = of
    const isOfImport = sql`user_id = ${userId} AND device_id = ANY(${devices}::text[])`
    yield* sql`WITH handed_over AS (
          SELECT DISTINCT ON (v.report_key, heir.device_id) v.device_id, v.report_key, heir.device_id AS heir_id
          FROM visit_reports v JOIN devices heir ON ${isHeir(sql, of, "v")}
          WHERE v.user_id = ${userId} AND v.device_id = ANY(${devices}::text[]) AND v.also_from IS NOT NULL
            AND NOT EXISTS (
              SELECT 1 FROM visit_reports o
              WHERE o.user_id = ${userId} AND o.device_id = heir.device_id AND o.report_key = v.report_key)
          ORDER BY v.report_key, heir.device_id, v.device_id COLLATE "C"
        ), kept AS (
          UPDATE visit_reports v SET device_id = one.heir_id, also_from = array_remove(v.also_from, one.heir_id)
          FROM handed_over one
          WHERE v.user_id = ${userId} AND v.device_id = one.device_id AND v.report_key = one.report_key
          RETURNING one.heir_id AS device_id, coalesce(v.departure, v.arrival) AS last_at
        ), span AS (SELECT device_id, max(last_at) AS last_at FROM kept GROUP BY device_id)
        UPDATE devices device SET
          stays_due_from = least(stays_due_from, ${ifFirst(sql, "shared_from")}),
          history_ends_at = greatest(history_ends_at, span.last_at, ${ifFirst(sql, "shared_until")})
        FROM span WHERE device.user_id = ${userId} AND device.device_id = span.device_id`
    yield* sql`DELETE FROM visit_reports WHERE ${isOfImport}`
    yield* sql`DELETE FROM stays WHERE ${isOfImport}`
    yield* sql`DELETE FROM stay_backfills WHERE ${isOfImport}`
    yield* sql`DELETE FROM devices WHERE ${isOfImport}`
    yield* Erasures.withdraw(sql, userId, of.id)
    yield* sql`DELETE FROM imports WHERE ${isOne(sql, of)}`
    return "gone" as const
  })
