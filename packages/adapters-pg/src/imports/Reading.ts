import type { SqlClient } from "@effect/sql/SqlClient"
import { Entry, Import, type ImportStep, type ImportStore, type Leased } from "@place-access/domain/imports"
import { DeviceId, type Timestamp } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as NoticeChoices from "../accounts/NoticeChoices.js"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { historyStatement } from "../fixes/HistoryStatement.js"
import { insertReturned } from "../places/insertReturned.js"
import * as Buckets from "../leases/Buckets.js"
import * as Erasures from "../retention-choice/Erasures.js"
import { COLUMNS, deletePieces, ImportRow, isOne, KeyRow, lockStream, toImport } from "./ImportRow.js"

/** The methods of `ImportStore` for the worker that reads an uploaded file. */

type Store = typeof ImportStore.Service

/** `leased_until`: an attempt that has no end is followed by another one from then on. */
const isDue = (sql: SqlClient, now: Timestamp.Timestamp) =>
  sql`state IN ('waiting', 'running') AND (leased_until IS NULL OR leased_until <= ${Rows.at(now)})`

export const due =
  (sql: SqlClient): Store["due"] =>
  (buckets, now, besides) =>
    sql`SELECT user_id, import_id FROM imports WHERE ${isDue(sql, now)} ${Buckets.andOf(sql, buckets)}
          AND user_id <> ALL(${besides}::text[])
        ORDER BY uploaded_at LIMIT 1`.pipe(
      Rows.first(KeyRow),
      Effect.map(Option.map((row) => ({ userId: row.user_id, id: row.import_id }))),
      orStoreError
    )

const ClaimedRow = Schema.Struct({ ...ImportRow.fields, attempts: Schema.Int })

export const claim =
  (sql: SqlClient): Store["claim"] =>
  (leased, now, dueAt) =>
    sql`UPDATE imports SET state = 'running', lease = ${leased.lease}, leased_until = ${Rows.at(dueAt)},
          attempts = attempts + 1
        WHERE ${isOne(sql, leased)} AND ${isDue(sql, now)}
        RETURNING ${COLUMNS}, attempts`.pipe(
      Rows.first(ClaimedRow),
      Effect.map(Option.map((row) => ({ import: toImport(row), attempt: row.attempts }))),
      orStoreError
    )

const PieceRow = Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf })

export const piece =
  (sql: SqlClient): Store["piece"] =>
  (of, position) =>
    sql`SELECT bytes FROM import_pieces WHERE ${isOne(sql, of)} AND position = ${position}`.pipe(
      Rows.first(PieceRow),
      Effect.map(Option.map(({ bytes }) => bytes)),
      orStoreError
    )

/** A condition on `imports`: no other attempt has begun since. */
const isHeld = (sql: SqlClient, leased: Leased) =>
  sql`${isOne(sql, leased)} AND state = 'running' AND lease = ${leased.lease}`

export const renew =
  (sql: SqlClient): Store["renew"] =>
  (leased, dueAt) =>
    Rows.affected(sql`UPDATE imports SET leased_until = ${Rows.at(dueAt)} WHERE ${isHeld(sql, leased)}`).pipe(
      Effect.map((renewed) => renewed > 0),
      orStoreError
    )

const CountRow = Schema.Struct({ count: Rows.Bigint })

export const advance =
  (sql: SqlClient): Store["advance"] =>
  (step) =>
    Effect.gen(function* () {
      const device = yield* noteProgress(sql, step)
      if (Option.isNone(device)) return false
      const entries = step.fixes.length + step.visits.length + step.places.length + step.notices.length
      if (entries === 0) return true
      // The lock is a statement of its own: the next statement then sees the fixes that others stored while this one
      // waited.
      yield* lockStream(sql, step.userId, 1)
      // Read under the lock, which a deletion of a stretch takes too: the list is the one at the commit.
      const { erased, ...kept } = Entry.withoutErased(step, yield* Erasures.list(sql, step.userId))
      const stored = yield* historyStatement(sql, { ...step, ...kept, deviceId: device.value.device_id }).pipe(
        Rows.first(CountRow)
      )
      let count = Option.match(stored, { onNone: () => 0, onSome: ({ count }) => count })
      const leftOut: Array<string> = []
      for (const place of step.places) {
        const outcome = yield* insertReturned(sql, place)
        if (outcome === "stored") count++
        else if (outcome === "no room") leftOut.push(place.place.label)
      }
      if (step.notices.length > 0) count += yield* NoticeChoices.add(sql)(step.userId, step.notices)
      yield* sql`UPDATE imports SET stored = stored + ${count},
                   duplicates = duplicates + ${entries - erased - count - leftOut.length},
                   too_old = too_old + ${erased},
                   over_limit = over_limit + ${leftOut.length},
                   left_out = (left_out || ${leftOut}::text[])[1:${Import.MOST_NAMED}::integer]
                 WHERE ${isOne(sql, step)}`
      return true
    }).pipe(sql.withTransaction, orStoreError)

const HeldRow = Schema.Struct({ device_id: DeviceId })

/** The import's device; none when the lease was lost. Entries that were read show that the attempt got somewhere. */
const noteProgress = (sql: SqlClient, step: ImportStep) =>
  sql`UPDATE imports SET
        format = coalesce(${step.format}, format),
        bytes_done = greatest(bytes_done, ${step.bytesDone}), entries_read = entries_read + ${step.read},
        too_recent = too_recent + ${step.tooRecent}, too_old = too_old + ${step.tooOld},
        quarantined = quarantined + ${step.quarantined},
        attempts = CASE WHEN ${step.read}::integer > 0 THEN 0 ELSE attempts END
      WHERE ${isHeld(sql, step)} RETURNING device_id`.pipe(Rows.first(HeldRow))

export const finish =
  (sql: SqlClient): Store["finish"] =>
  (leased, error, at) =>
    Effect.gen(function* () {
      const finished = yield* Rows.affected(
        sql`UPDATE imports SET state = ${error === null ? "done" : "failed"}, error = ${error},
              finished_at = ${Rows.at(at)}, lease = NULL, leased_until = NULL
            WHERE ${isHeld(sql, leased)}`
      )
      if (finished === 0) return false
      yield* deletePieces(sql, leased)
      return true
    }).pipe(sql.withTransaction, orStoreError)
