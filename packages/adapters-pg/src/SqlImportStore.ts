import { SqlClient } from "@effect/sql/SqlClient"
import { Import, ImportStore, type Leased, type Owned } from "@place-access/domain/imports"
import { DeviceId, ImportId, type Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import { historyStatement } from "./fixes/HistoryStatement.js"
import * as Rows from "./Rows.js"

const ImportRow = Schema.Struct({
  user_id: UserId,
  import_id: ImportId,
  device_id: DeviceId,
  file_name: Schema.String,
  format: Schema.NullOr(Import.Format),
  state: Import.State,
  entries_read: Schema.Int,
  stored: Schema.Int,
  duplicates: Schema.Int,
  too_recent: Schema.Int,
  too_old: Schema.Int,
  quarantined: Schema.Int,
  bytes_total: Rows.Bigint,
  bytes_done: Rows.Bigint,
  error: Schema.NullOr(Schema.String),
  uploaded_at: Rows.At,
  finished_at: Rows.NullableAt
})

const ClaimedRow = Schema.Struct({ ...ImportRow.fields, attempts: Schema.Int })

const toImport = (row: typeof ImportRow.Type): Import.Import => ({
  userId: row.user_id,
  id: row.import_id,
  deviceId: row.device_id,
  fileName: row.file_name,
  format: row.format,
  state: row.state,
  counts: {
    read: row.entries_read,
    stored: row.stored,
    duplicates: row.duplicates,
    tooRecent: row.too_recent,
    tooOld: row.too_old,
    quarantined: row.quarantined
  },
  bytesTotal: row.bytes_total,
  bytesDone: row.bytes_done,
  error: row.error,
  uploadedAt: row.uploaded_at,
  finishedAt: row.finished_at
})

const PieceRow = Schema.Struct({ bytes: Schema.Uint8ArrayFromSelf })
const HeldRow = Schema.Struct({ device_id: DeviceId })
const CountRow = Schema.Struct({ count: Rows.Bigint })

export const layer: Layer.Layer<ImportStore, never, SqlClient> = Layer.effect(
  ImportStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(ImportRow.fields).join(", "))
    const claimedColumns = sql.literal(
      Object.keys(ClaimedRow.fields)
        .map((name) => `i.${name}`)
        .join(", ")
    )

    const one = (of: Owned) => sql`user_id = ${of.userId} AND import_id = ${of.id}`
    const held = (leased: Leased) => sql`${one(leased)} AND state = 'running' AND lease = ${leased.lease}`
    const throwAway = (of: Owned) => sql`DELETE FROM import_pieces WHERE ${one(of)}`

    /** Where everything that the user's devices bring queues. */
    const queue = (userId: UserId, step: 0 | 1) =>
      sql`INSERT INTO upload_streams AS stream (user_id, version) VALUES (${userId}, ${step})
          ON CONFLICT (user_id) DO UPDATE SET version = stream.version + ${step}`

    return ImportStore.of({
      begin: ({ at, deviceId, fileName, id, userId }, most) =>
        Effect.gen(function* () {
          // Two tabs of one user count one after the other.
          yield* queue(userId, 0)
          const begun = yield* Rows.affected(
            sql`INSERT INTO imports (user_id, import_id, device_id, file_name, state, uploaded_at)
                SELECT ${userId}, ${id}, ${deviceId}, ${fileName}, 'uploading', ${Rows.at(at)}::timestamptz
                WHERE ${most} > (SELECT count(*) FROM imports
                                 WHERE user_id = ${userId} AND state IN ('uploading', 'waiting', 'running'))`
          )
          return begun > 0
        }).pipe(sql.withTransaction, orStoreError),

      append: (of, position, bytes, at) =>
        sql`WITH growing AS (
              UPDATE imports SET uploaded_at = ${Rows.at(at)} WHERE ${one(of)} AND state = 'uploading'
              RETURNING user_id, import_id
            )
            INSERT INTO import_pieces (user_id, import_id, position, bytes)
            SELECT user_id, import_id, ${position}::integer, ${bytes}::bytea FROM growing`.pipe(
          Rows.affected,
          Effect.map((written) => written > 0),
          orStoreError
        ),

      complete: (of, bytesTotal, at) =>
        sql`WITH whole AS (
              UPDATE imports SET state = 'waiting', bytes_total = ${bytesTotal}, uploaded_at = ${Rows.at(at)}
              WHERE ${one(of)} AND state = 'uploading' RETURNING ${columns}
            ), device AS (
              INSERT INTO devices (user_id, device_id, name, format, token_hash, created_at)
              SELECT user_id, device_id, file_name, 'import', ${of.tokenHash}, ${Rows.at(at)}::timestamptz FROM whole
            )
            SELECT * FROM whole`.pipe(Rows.first(ImportRow), Effect.map(Option.map(toImport)), orStoreError),

      list: (userId, limit) =>
        sql`SELECT ${columns} FROM imports WHERE user_id = ${userId} AND state <> 'uploading'
            ORDER BY uploaded_at DESC, import_id COLLATE "C" DESC LIMIT ${limit}`.pipe(
          Rows.all(ImportRow),
          Effect.map((rows) => rows.map(toImport)),
          orStoreError
        ),

      find: (of) =>
        sql`SELECT ${columns} FROM imports WHERE ${one(of)} AND state <> 'uploading'`.pipe(
          Rows.first(ImportRow),
          Effect.map(Option.map(toImport)),
          orStoreError
        ),

      remove: (of) =>
        Effect.gen(function* () {
          const removed = yield* Rows.affected(sql`DELETE FROM imports WHERE ${one(of)}`)
          yield* throwAway(of)
          return removed > 0
        }).pipe(sql.withTransaction, orStoreError),

      claim: (lease, now, leaseUntil) =>
        sql`WITH due AS (
              SELECT user_id, import_id FROM imports
              WHERE state IN ('waiting', 'running') AND (leased_until IS NULL OR leased_until <= ${Rows.at(now)})
              ORDER BY uploaded_at LIMIT 1 FOR UPDATE SKIP LOCKED
            )
            UPDATE imports i
            SET state = 'running', lease = ${lease}, leased_until = ${Rows.at(leaseUntil)}, attempts = i.attempts + 1
            FROM due WHERE i.user_id = due.user_id AND i.import_id = due.import_id
            RETURNING ${claimedColumns}`.pipe(
          Rows.first(ClaimedRow),
          Effect.map(Option.map((row) => ({ import: toImport(row), attempt: row.attempts }))),
          orStoreError
        ),

      piece: (of, position) =>
        sql`SELECT bytes FROM import_pieces WHERE ${one(of)} AND position = ${position}`.pipe(
          Rows.first(PieceRow),
          Effect.map(Option.map(({ bytes }) => bytes)),
          orStoreError
        ),

      advance: (step) =>
        Effect.gen(function* () {
          const device = yield* sql`
            UPDATE imports SET
              leased_until = ${Rows.at(step.leaseUntil)}, format = coalesce(${step.format}, format),
              bytes_done = greatest(bytes_done, ${step.bytesDone}), entries_read = entries_read + ${step.read},
              too_recent = too_recent + ${step.tooRecent}, too_old = too_old + ${step.tooOld}, quarantined = quarantined + ${step.quarantined},
              attempts = CASE WHEN ${step.read}::integer > 0 THEN 0 ELSE attempts END
            WHERE ${held(step)} RETURNING device_id`.pipe(Rows.first(HeldRow))
          if (Option.isNone(device)) return false
          const entries = step.fixes.length + step.visits.length
          if (entries === 0) return true
          // Once it is this one's turn, what the others stored is seen: it takes a statement of its own to look.
          yield* queue(step.userId, 1)
          const stored = yield* historyStatement(sql, { ...step, deviceId: device.value.device_id }).pipe(
            Rows.first(CountRow)
          )
          const count = Option.match(stored, { onNone: () => 0, onSome: ({ count }) => count })
          yield* sql`UPDATE imports SET stored = stored + ${count}, duplicates = duplicates + ${entries - count}
                     WHERE ${one(step)}`
          return true
        }).pipe(sql.withTransaction, orStoreError),

      finish: (leased, error, at: Timestamp.Timestamp) =>
        Effect.gen(function* () {
          const finished = yield* Rows.affected(
            sql`UPDATE imports SET state = ${error === null ? "done" : "failed"}, error = ${error},
                  finished_at = ${Rows.at(at)}, lease = NULL, leased_until = NULL
                WHERE ${held(leased)}`
          )
          if (finished === 0) return false
          yield* throwAway(leased)
          return true
        }).pipe(sql.withTransaction, orStoreError),

      dropBrokenOff: (before) =>
        sql`WITH broken AS (
              DELETE FROM imports WHERE state = 'uploading' AND uploaded_at < ${Rows.at(before)}
              RETURNING user_id, import_id
            ), pieces AS (
              DELETE FROM import_pieces p USING broken b WHERE p.user_id = b.user_id AND p.import_id = b.import_id
            )
            SELECT count(*) AS count FROM broken`.pipe(
          Rows.first(CountRow),
          Effect.map(Option.match({ onNone: () => 0, onSome: ({ count }) => count })),
          orStoreError
        )
    })
  })
)
