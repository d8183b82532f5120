import { SqlClient } from "@effect/sql/SqlClient"
import { Device, DeviceStore } from "@place-access/domain/devices"
import { DeviceId, UserId, Vault } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { reads } from "./client/Client.js"
import { orStoreError } from "./Failures.js"
import * as MovementColumn from "./fixes/MovementColumn.js"
import * as PutAsideColumn from "./fixes/PutAsideColumn.js"
import * as Rows from "./Rows.js"

const DeviceRow = Schema.Struct({
  user_id: UserId,
  device_id: DeviceId,
  name: Schema.typeSchema(Device.Name),
  format: Device.Format,
  token_hash: Vault.Hash,
  created_at: Rows.At,
  last_seen_at: Rows.NullableAt,
  last_kept_at: Rows.NullableAt,
  put_aside: PutAsideColumn.PutAsideColumn,
  stays_at_home: Schema.Boolean,
  movement: MovementColumn.MovementColumn,
  removed_at: Rows.NullableAt
})

const toDevice = (row: typeof DeviceRow.Type): Device.Device => ({
  userId: row.user_id,
  id: row.device_id,
  name: row.name,
  format: row.format,
  tokenHash: row.token_hash,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
  lastKeptAt: row.last_kept_at,
  putAside: PutAsideColumn.decode(row.put_aside),
  staysAtHome: row.stays_at_home,
  movement: MovementColumn.decode(row.movement),
  removedAt: row.removed_at
})

export const layer: Layer.Layer<DeviceStore, never, SqlClient> = Layer.effect(
  DeviceStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(DeviceRow.fields).join(", "))

    return DeviceStore.of({
      create: (device) =>
        sql`INSERT INTO devices (user_id, device_id, name, format, token_hash, created_at, last_seen_at, last_kept_at, put_aside,
                                 stays_at_home, movement, removed_at)
            VALUES (${device.userId}, ${device.id}, ${device.name}, ${device.format}, ${device.tokenHash},
                    ${Rows.at(device.createdAt)}, ${Rows.nullableAt(device.lastSeenAt)},
                    ${Rows.nullableAt(device.lastKeptAt)}, ${PutAsideColumn.encode(device.putAside)}::jsonb,
                    ${device.staysAtHome}, ${device.movement === null ? null : MovementColumn.encode(device.movement)}::jsonb,
                    ${Rows.nullableAt(device.removedAt)})`.pipe(Effect.asVoid, orStoreError),

      list: (userId) =>
        sql`SELECT ${columns} FROM devices
            WHERE user_id = ${userId} AND removed_at IS NULL AND format <> 'import'
            ORDER BY created_at, device_id COLLATE "C"`.pipe(
          Rows.all(DeviceRow),
          Effect.map((rows) => rows.map(toDevice)),
          orStoreError
        ),

      findByToken: (userId, hash) =>
        reads(sql)`SELECT ${columns} FROM devices
            WHERE user_id = ${userId} AND token_hash = ${hash} AND removed_at IS NULL`.pipe(
          Rows.first(DeviceRow),
          Effect.map(Option.map(toDevice)),
          orStoreError
        ),

      sendsVisits: (userId, id) =>
        sql`SELECT 1 FROM visit_reports WHERE user_id = ${userId} AND device_id = ${id} LIMIT 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          orStoreError
        ),

      keepAtHome: (userId, id, staysAtHome) =>
        Rows.affected(
          sql`UPDATE devices SET stays_at_home = ${staysAtHome}
              WHERE user_id = ${userId} AND device_id = ${id} AND removed_at IS NULL AND format <> 'import'`
        ).pipe(
          Effect.map((count) => count > 0),
          orStoreError
        ),

      remove: (userId, id, at) =>
        Rows.affected(
          sql`UPDATE devices SET removed_at = ${Rows.at(at)}
              WHERE user_id = ${userId} AND device_id = ${id} AND removed_at IS NULL`
        ).pipe(
          Effect.map((count) => count > 0),
          orStoreError
        )
    })
  })
)
