import type { SqlClient } from "@effect/sql/SqlClient"
import { CsvColumns, Import, type ImportKey } from "@place-access/domain/imports"
import { DeviceId, ImportId, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** A `Months.MonthCounts` as the JSON column `months` stores it. */
const MonthRow = Schema.Struct({
  month: Schema.NullOr(Schema.String),
  read: Schema.Int,
  stored: Schema.Int,
  tooRecent: Schema.Int,
  tooOld: Schema.Int,
  quarantined: Schema.Int
})

/** The columns of `imports` that make an `Import`. */
export const ImportRow = Schema.Struct({
  user_id: UserId,
  import_id: ImportId,
  device_id: DeviceId,
  file_name: Schema.String,
  format: Schema.NullOr(Import.ImportFormat),
  state: Import.ImportState,
  entries_read: Schema.Int,
  stored: Schema.Int,
  duplicates: Schema.Int,
  too_recent: Schema.Int,
  too_old: Schema.Int,
  over_limit: Schema.Int,
  left_out: Schema.Array(Schema.String),
  quarantined: Schema.Int,
  bytes_total: Rows.Bigint,
  bytes_done: Rows.Bigint,
  error: Schema.NullOr(Schema.String),
  // This schema accepts names of any length, because an earlier version also stored names that are longer than
  // `CsvColumns` allows. If such a row could not be read, its owner could not list the other imports either.
  columns: Schema.NullOr(Schema.partialWith(Schema.encodedSchema(CsvColumns.CsvColumns), { exact: true })),
  months: Schema.Array(MonthRow),
  uploaded_at: Rows.At,
  started_at: Rows.NullableAt,
  finished_at: Rows.NullableAt
})

export const COLUMNS = Rows.columns(ImportRow)

export const toImport = (row: typeof ImportRow.Type): Import.Import => ({
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
    overLimit: row.over_limit,
    quarantined: row.quarantined
  },
  leftOut: row.left_out,
  bytesTotal: row.bytes_total,
  bytesDone: row.bytes_done,
  error: row.error,
  columns: row.columns,
  months: row.months,
  uploadedAt: row.uploaded_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at
})

/** An SQL condition on `imports` and `import_pieces`: the rows of one import. */
export const isOne = (sql: SqlClient, of: ImportKey) => sql`user_id = ${of.userId} AND import_id = ${of.id}`

/** Deletes the uploaded file, which is stored in pieces. */
export const deletePieces = (sql: SqlClient, of: ImportKey) => sql`DELETE FROM import_pieces WHERE ${isOne(sql, of)}`

/** The key of an import, for statements that search the imports of all users. */
export const KeyRow = Schema.Struct({ user_id: UserId, import_id: ImportId })
