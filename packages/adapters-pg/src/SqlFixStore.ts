import { SqlClient } from "@effect/sql/SqlClient"
import { FixStore } from "@place-access/domain/fixes"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import { StoredRow, toStored } from "./fixes/StoredRow.js"
import { uploadStatement } from "./fixes/UploadStatement.js"
import * as UploadView from "./fixes/UploadView.js"
import * as Rows from "./Rows.js"

const SeenRow = Schema.Struct({ last_seen_at: Rows.NullableAt })

export const layer: Layer.Layer<FixStore, never, SqlClient> = Layer.effect(
  FixStore,
  Effect.map(SqlClient, (sql) => {
    const storedColumns = sql.literal(Object.keys(StoredRow.fields).join(", "))

    return FixStore.of({
      view: (userId, deviceId, fixes, now) => UploadView.read(sql, userId, deviceId, fixes, now).pipe(orStoreError),

      commit: (upload) =>
        uploadStatement(sql, upload).pipe(
          Effect.map((rows) => rows.length > 0),
          orStoreError
        ),

      latest: (userId, limit) =>
        sql`SELECT ${storedColumns} FROM fixes WHERE user_id = ${userId}
            ORDER BY captured_at DESC, device_id COLLATE "C" DESC, lat DESC, lon DESC LIMIT ${limit}`.pipe(
          Rows.all(StoredRow),
          Effect.map((rows) => rows.map(toStored)),
          orStoreError
        ),

      lastReceivedAt: (userId) =>
        sql`SELECT max(last_seen_at) AS last_seen_at FROM devices WHERE user_id = ${userId}`.pipe(
          Rows.first(SeenRow),
          Effect.map(Option.flatMapNullable((row) => row.last_seen_at)),
          orStoreError
        )
    })
  })
)
