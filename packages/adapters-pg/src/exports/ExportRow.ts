import type { SqlClient } from "@effect/sql/SqlClient"
import { Export } from "@place-access/domain/exports"
import { ExportId, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** The columns of `exports` that make an `Export`. */
export const ExportRow = Schema.Struct({
  user_id: UserId,
  export_id: ExportId,
  state: Export.ExportState,
  requested_at: Rows.At,
  done: Schema.Int,
  total: Schema.Int,
  bytes: Rows.Bigint,
  pieces: Schema.Int,
  ready_at: Rows.NullableAt,
  expires_at: Rows.NullableAt,
  fault: Schema.NullOr(Export.ExportFault),
  ended_at: Rows.NullableAt
})

export const COLUMNS = Rows.columns(ExportRow)

export const toExport = (row: typeof ExportRow.Type): Export.Export => ({
  userId: row.user_id,
  id: row.export_id,
  state: row.state,
  requestedAt: row.requested_at,
  progress: { done: row.done, total: row.total },
  bytes: row.bytes,
  pieces: row.pieces,
  readyAt: row.ready_at,
  expiresAt: row.expires_at,
  fault: row.fault,
  endedAt: row.ended_at
})

/** The key of an export, for statements that search the exports of all people. */
export const KeyRow = Schema.Struct({ user_id: UserId, export_id: ExportId })

/** An SQL condition on `exports` and `export_pieces`: the rows of one export. */
export const isOne = (sql: SqlClient, of: Export.ExportKey) => sql`user_id = ${of.userId} AND export_id = ${of.id}`

export const deletePieces = (sql: SqlClient, of: Export.ExportKey) =>
  sql`DELETE FROM export_pieces WHERE ${isOne(sql, of)}`
