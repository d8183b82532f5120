import { SqlClient } from "@effect/sql/SqlClient"
import { Device, DeviceStore } from "@place-access/domain/devices"
import { AccountLimits } from "@place-access/domain/quotas"
import { Rule } from "@place-access/domain/rules"
import { DeviceId, type Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { reads } from "../driver/Client.js"
import { orStoreError } from "../Failures.js"
import * as MovementColumn from "../history/MovementColumn.js"
import * as PutAsideColumn from "../fixes/PutAsideColumn.js"
import * as UploadStream from "../history/UploadStream.js"
import * as Rows from "../driver/Rows.js"

const DeviceRow = Schema.Struct({
  user_id: UserId,
  device_id: DeviceId,
  name: Schema.typeSchema(Device.DeviceName),
  format: Device.PhoneFormat,
  token_hash: Vault.Hash,
  created_at: Rows.At,
  last_seen_at: Rows.NullableAt,
  last_kept_at: Rows.NullableAt,
  put_aside: PutAsideColumn.PutAsideColumn,
  stays_at_home: Schema.Boolean,
  movement: MovementColumn.MovementColumn,
  removed_at: Rows.NullableAt,
  setup_hash: Schema.NullOr(Vault.Hash),
  setup_until: Rows.NullableAt
})

const COLUMNS = Rows.columns(DeviceRow)

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
  removedAt: row.removed_at,
  setupLink:
    row.setup_hash === null || row.setup_until === null ? null : { hash: row.setup_hash, until: row.setup_until }
})

type Store = typeof DeviceStore.Service

export const layer: Layer.Layer<DeviceStore, never, SqlClient> = Layer.effect(
  DeviceStore,
  Effect.map(SqlClient, (sql) =>
    DeviceStore.of({
      create: create(sql),
      list: list(sql),
      findByToken: findByToken(sql),
      takeSetupLink: takeSetupLink(sql),
      sendsVisits: sendsVisits(sql),
      keepAtHome: keepAtHome(sql),
      remove: remove(sql)
    })
  )
)

const create =
  (sql: SqlClient): Store["create"] =>
  (device) =>
    Effect.gen(function* () {
      // Locks the row of the user in `upload_streams`, so that two devices of one user are created one after the other.
      // So the second creation counts the first device, and the limit of devices is kept.
      yield* sql`INSERT INTO upload_streams AS stream (user_id, version) VALUES (${device.userId}, 0)
                 ON CONFLICT (user_id) DO UPDATE SET version = stream.version`
      const counted = yield* sql`SELECT count(*) AS count FROM devices
          WHERE user_id = ${device.userId} AND removed_at IS NULL AND format <> 'import'`.pipe(Rows.first(CountRow))
      if (Option.exists(counted, ({ count }) => count >= AccountLimits.DEVICES.most)) return false
      yield* insert(sql, device)
      return true
    }).pipe(sql.withTransaction, orStoreError)

const CountRow = Schema.Struct({ count: Rows.Bigint })

const insert = (sql: SqlClient, device: Device.Device) =>
  sql`INSERT INTO devices (user_id, device_id, name, format, token_hash, created_at, last_seen_at, last_kept_at,
                             put_aside, stays_at_home, movement, removed_at, setup_hash, setup_until)
        VALUES (${device.userId}, ${device.id}, ${device.name}, ${device.format}, ${device.tokenHash},
                ${Rows.at(device.createdAt)}, ${Rows.nullableAt(device.lastSeenAt)},
                ${Rows.nullableAt(device.lastKeptAt)}, ${PutAsideColumn.encode(device.putAside)}::jsonb,
                ${device.staysAtHome},
                ${device.movement === null ? null : MovementColumn.encode(device.movement)}::jsonb,
                ${Rows.nullableAt(device.removedAt)}, ${device.setupLink?.hash ?? null},
                ${Rows.nullableAt(device.setupLink?.until ?? null)})`

const list =
  (sql: SqlClient): Store["list"] =>
  (userId) =>
    sql`SELECT ${COLUMNS} FROM devices
        WHERE user_id = ${userId} AND removed_at IS NULL AND format <> 'import'
        ORDER BY created_at, device_id COLLATE "C"`.pipe(
      Rows.all(DeviceRow),
      Effect.map((rows) => rows.map(toDevice)),
      orStoreError
    )

/**
 * Each upload of a phone begins with this statement, so it is sent with `reads`, on connections that several requests
 * share.
 */
const findByToken =
  (sql: SqlClient): Store["findByToken"] =>
  (userId, hash) =>
    reads(sql)`SELECT ${COLUMNS} FROM devices
               WHERE user_id = ${userId} AND token_hash = ${hash} AND removed_at IS NULL`.pipe(
      Rows.first(DeviceRow),
      Effect.map(Option.map(toDevice)),
      orStoreError
    )

const takeSetupLink =
  (sql: SqlClient): Store["takeSetupLink"] =>
  (userId, hash, now) =>
    // A single statement finds and spends the setup key, so that of two requests with the same key only the first gets
    // the device.
    sql`UPDATE devices SET setup_hash = NULL, setup_until = NULL
        WHERE user_id = ${userId} AND setup_hash = ${hash} AND setup_until > ${Rows.at(now)}
          AND removed_at IS NULL
        RETURNING ${COLUMNS}`.pipe(Rows.first(DeviceRow), Effect.map(Option.map(toDevice)), orStoreError)

/**
 * Whether the phone has ever reported a visit. `visits_told_at` stays when the reports are deleted with the history. A
 * stored report counts even when `visits_told_at` is null, because a release from before migration 0088 does not write
 * this column.
 */
const sendsVisits =
  (sql: SqlClient): Store["sendsVisits"] =>
  (userId, id) =>
    sql`SELECT 1 FROM devices
        WHERE user_id = ${userId} AND device_id = ${id} AND (visits_told_at IS NOT NULL OR EXISTS (
          SELECT 1 FROM visit_reports WHERE user_id = ${userId} AND device_id = ${id}))`.pipe(
      Effect.map((rows) => rows.length > 0),
      orStoreError
    )

const keepAtHome =
  (sql: SqlClient): Store["keepAtHome"] =>
  (userId, id, staysAtHome) =>
    Rows.affected(
      sql`UPDATE devices SET stays_at_home = ${staysAtHome}
          WHERE user_id = ${userId} AND device_id = ${id} AND removed_at IS NULL AND format <> 'import'`
    ).pipe(
      Effect.map((count) => count > 0),
      orStoreError
    )

const remove =
  (sql: SqlClient): Store["remove"] =>
  (userId, id, at) =>
    Effect.gen(function* () {
      // From this lock until the end of the transaction, an upload in flight waits, and so does a worker that settles
      // dwells.
      yield* UploadStream.lock(sql, userId, 0)
      const removed = yield* Rows.affected(
        sql`UPDATE devices SET removed_at = ${Rows.at(at)}
            WHERE user_id = ${userId} AND device_id = ${id} AND removed_at IS NULL AND format <> 'import'`
      )
      if (removed === 0) return false
      // Raises the version in `upload_streams`. So a worker does not fire a dwell that it read before the device was
      // removed (`Settling.commit`), and an upload in flight does not store its readings.
      yield* UploadStream.lock(sql, userId, 1)
      yield* forgetDwells(sql, userId, at)
      return true
    }).pipe(sql.withTransaction, orStoreError)

/**
 * The rule types with a dwell time. Only a rule of these types can have a dwell that fires because the phone stays
 * silent.
 */
const DWELLS = Rule.RuleType.literals.filter((type) => Rule.PROPERTIES[type].hasDwellTime)

/**
 * When a phone was removed, forgets the user's dwells that wait for silence (decision rules-14), unless the user has
 * another phone that is not marked as staying at home and has sent something (`Carried.mayShowMovement`). A dwell that
 * was due at the time `at` of the removal, or before, still fires, even if no worker has processed it yet.
 */
const forgetDwells = (sql: SqlClient, userId: UserId, at: Timestamp.Timestamp) =>
  sql`UPDATE rule_states SET unsettled_at = NULL, unsettled_until = NULL, settle_due_at = NULL
      WHERE user_id = ${userId} AND settle_due_at > ${Rows.at(at)}
        AND rule_id IN (SELECT rule_id FROM rules WHERE user_id = ${userId} AND type = ANY(${DWELLS}::text[]))
        AND NOT EXISTS (SELECT 1 FROM devices
                        WHERE user_id = ${userId} AND removed_at IS NULL AND format <> 'import' AND NOT stays_at_home
                          AND last_seen_at IS NOT NULL)`
