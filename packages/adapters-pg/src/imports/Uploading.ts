import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { type NewImport, Import, type ImportStore, type ImportKey } from "@place-access/domain/imports"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import * as Rows from "../driver/Rows.js"
import * as UploadStream from "../history/UploadStream.js"
import { orStoreError } from "../Failures.js"
import { COLUMNS, deletePieces, ImportRow, isOne, KeyRow, toImport } from "./ImportRow.js"

/** The methods of `ImportStore` for a file that is being uploaded. */

type Store = typeof ImportStore.Service

export const begin =
  (sql: SqlClient): Store["begin"] =>
  (begun, most) =>
    Effect.gen(function* () {
      // Because of this lock, two imports that the user starts in two tabs begin one after the other. So the second
      // counts the first, and the limit of imports is kept.
      yield* UploadStream.lock(sql, begun.userId, 0)
      return (yield* Rows.affected(insertUnlessFull(sql, begun, most))) > 0
    }).pipe(sql.withTransaction, orStoreError)

const insertUnlessFull = (sql: SqlClient, { at, deviceId, fileName, id, userId }: NewImport, most: number) =>
  sql`INSERT INTO imports (user_id, import_id, device_id, file_name, state, uploaded_at)
      SELECT ${userId}, ${id}, ${deviceId}, ${fileName}, 'uploading', ${Rows.at(at)}::timestamptz
      WHERE (SELECT count(*) < ${most} AND coalesce(sum(CASE WHEN state = 'uploading' THEN ${Import.MAX_BYTES}::bigint
                                                         ELSE bytes_total END), 0) <= ${Import.MAX_WAITING_BYTES}
             FROM imports
             WHERE user_id = ${userId} AND state IN ('uploading', 'asking', 'waiting', 'running'))`

export const append =
  (sql: SqlClient): Store["append"] =>
  (of, position, bytes, at) =>
    sql`WITH growing AS (
          UPDATE imports SET uploaded_at = ${Rows.at(at)} WHERE ${isOne(sql, of)} AND state = 'uploading'
          RETURNING user_id, import_id
        )
        INSERT INTO import_pieces (user_id, import_id, position, bytes)
        SELECT user_id, import_id, ${position}::integer, ${bytes}::bytea FROM growing`.pipe(
      Rows.affected,
      Effect.map((written) => written > 0),
      orStoreError
    )

export const complete =
  (sql: SqlClient): Store["complete"] =>
  (of, bytesTotal, at, table) =>
    sql`WITH whole AS (
          UPDATE imports SET state = ${table?.isAsking === true ? "asking" : "waiting"}, bytes_total = ${bytesTotal},
            columns = ${table === undefined ? null : JSON.stringify(table.columns)}::jsonb, uploaded_at = ${Rows.at(at)}
          WHERE ${isOne(sql, of)} AND state = 'uploading' RETURNING ${COLUMNS}
        ), device AS (
          INSERT INTO devices (user_id, device_id, name, format, token_hash, created_at)
          SELECT user_id, device_id, file_name, 'import', ${of.tokenHash}, ${Rows.at(at)}::timestamptz FROM whole
        )
        SELECT * FROM whole`.pipe(Rows.first(ImportRow), Effect.map(Option.map(toImport)), orStoreError)

export const confirm =
  (sql: SqlClient): Store["confirm"] =>
  (of, columns, now) =>
    sql`UPDATE imports SET state = 'waiting', columns = ${JSON.stringify(columns)}::jsonb
        WHERE ${isOne(sql, of)} AND state = 'asking' AND uploaded_at > ${askingSince(now)}
        RETURNING ${COLUMNS}`.pipe(Rows.first(ImportRow), Effect.map(Option.map(toImport)), orStoreError)

/**
 * The owner of a CSV table can confirm its columns only if the table was uploaded after this time (`Import.isAsking`).
 */
const askingSince = (now: Timestamp.Timestamp) => Rows.at(Timestamp.plus(now, -Import.ASKING_PATIENCE))

export const dropBrokenOff =
  (sql: SqlClient): Store["dropBrokenOff"] =>
  (now) =>
    Effect.gen(function* () {
      const growing = Rows.at(Timestamp.plus(now, -Import.UPLOAD_PATIENCE))
      const isBroken = sql`((state = 'uploading' AND uploaded_at < ${growing})
                            OR (state = 'asking' AND uploaded_at <= ${askingSince(now)}))`
      const broken = yield* sql`SELECT user_id, import_id FROM imports WHERE ${isBroken}`.pipe(Rows.all(KeyRow))
      let dropped = 0
      for (const { import_id: id, user_id: userId } of broken) dropped += yield* drop(sql, { userId, id }, isBroken)
      return dropped
    }).pipe(orStoreError)

/**
 * Deletes an upload that broke off, or a CSV table whose columns its owner did not confirm in time, with its pieces.
 * The upload may have continued, or the owner may have confirmed, since `dropBrokenOff` found the import, so the
 * statement checks `isBroken` again.
 */
const drop = (sql: SqlClient, of: ImportKey, isBroken: Fragment) =>
  Rows.affected(sql`DELETE FROM imports WHERE ${isOne(sql, of)} AND ${isBroken}`).pipe(
    Effect.tap((count) => (count === 0 ? Effect.void : deletePieces(sql, of))),
    sql.withTransaction
  )
