import { AccessLogEntry } from "@place-access/domain/access-log"
import { AccessLogEntryId, AppId, ConnectionId, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"

/** The columns of `access_log`. */
export const EntryRow = Schema.Struct({
  user_id: UserId,
  entry_id: AccessLogEntryId,
  at: Rows.At,
  app_id: AppId,
  connection_id: ConnectionId,
  endpoint: Schema.String,
  purpose: Schema.NullOr(Schema.String),
  status: Schema.Int,
  error: Schema.NullOr(Schema.String),
  disclosed: Schema.NullOr(Schema.String),
  times: Schema.Int
})

export const COLUMNS = Rows.columns(EntryRow)

/** LIKE patterns for the `endpoint` of access-log entries about requests of the app's developer. */
export const OF_DEVELOPER: ReadonlyArray<string> = AccessLogEntry.DEVELOPER_ROUTES.map((route) => `%${route}%`)

/**
 * LIKE patterns for the `endpoint` of access-log entries that stand for no request of the app
 * (`AccessLogEntry.isOfApp`).
 */
export const NOT_OF_APP: ReadonlyArray<string> = [`${AccessLogEntry.EVENT_PREFIX}%`, ...OF_DEVELOPER]

export const toEntry = (row: typeof EntryRow.Type): AccessLogEntry.AccessLogEntry => ({
  userId: row.user_id,
  id: row.entry_id,
  at: row.at,
  appId: row.app_id,
  connectionId: row.connection_id,
  endpoint: row.endpoint,
  purpose: row.purpose,
  status: row.status,
  error: row.error,
  disclosed: row.disclosed,
  times: row.times
})
