import { SqlClient } from "@effect/sql/SqlClient"
import { ExportSource, WrittenMail } from "@place-access/domain/exports"
import { DeviceId } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"

const DeviceRow = Schema.Struct({
  device_id: DeviceId,
  name: Schema.String,
  format: Schema.String,
  stays_at_home: Schema.Boolean,
  created_at: Rows.At,
  last_seen_at: Rows.NullableAt,
  removed_at: Rows.NullableAt
})

/**
 * A mail to the person, as an archive contains it. `link_path` is the path of the mail's link without its end. The end
 * can be a secret, so it is in a separate column, which this schema leaves out.
 */
const MailRow = Schema.Struct({
  dedupe_key: Schema.String,
  subject: Schema.String,
  body: Schema.String,
  link_path: Schema.NullOr(Schema.String),
  created_at: Rows.At,
  sent_at: Rows.NullableAt
})

export const layer: Layer.Layer<ExportSource, never, SqlClient> = Layer.effect(
  ExportSource,
  Effect.map(SqlClient, (sql) =>
    ExportSource.of({
      devices: (userId) =>
        sql`SELECT ${Rows.columns(DeviceRow)} FROM devices WHERE user_id = ${userId}
            ORDER BY created_at, device_id COLLATE "C"`.pipe(
          Rows.all(DeviceRow),
          Effect.map((rows) =>
            rows.map((row) => ({
              id: row.device_id,
              name: row.name,
              format: row.format,
              staysAtHome: row.stays_at_home,
              createdAt: row.created_at,
              lastSeenAt: row.last_seen_at,
              removedAt: row.removed_at
            }))
          ),
          orStoreError
        ),
      letters: (userId) =>
        sql`SELECT ${Rows.columns(MailRow)} FROM mail_outbox WHERE user_id = ${userId}
            ORDER BY created_at, dedupe_key COLLATE "C"`.pipe(
          Rows.all(MailRow),
          Effect.map((rows) =>
            rows.map((row) => ({
              kind: WrittenMail.kindOf(row.dedupe_key),
              subject: row.subject,
              body: row.body,
              path: row.link_path,
              writtenAt: row.created_at,
              sentAt: row.sent_at
            }))
          ),
          orStoreError
        )
    })
  )
)
