import { SqlClient } from "@effect/sql/SqlClient"
import { DeviceId, PlaceId, UserId } from "@place-access/domain/shared"
import { type Stay, StayStore } from "@place-access/domain/visits"
import { Effect, Layer, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as Buckets from "../leases/Buckets.js"
import { commit, STAYS_RULE } from "./commitStays.js"
import { stayView } from "./stayView.js"
import { dueStatement, heardBeforeStatement } from "./VisitReads.js"

type Store = typeof StayStore.Service

export const layer: Layer.Layer<StayStore, never, SqlClient> = Layer.effect(
  StayStore,
  Effect.map(SqlClient, (sql) =>
    StayStore.of({
      due: due(sql),
      behind: behind(sql),
      outdated: outdated(sql),
      heardBefore: heardBefore(sql),
      view: (userId, deviceId) => stayView(sql, userId, deviceId).pipe(orStoreError),
      openAt: openAt(sql),
      fixes: fixes(sql),
      commit: commit(sql)
    })
  )
)

const OwingRow = Schema.Struct({ user_id: UserId, device_id: DeviceId })

const due =
  (sql: SqlClient): Store["due"] =>
  (userId) =>
    // Uses a UNION and not `OR EXISTS (…)`, because Citus would ask every shard for that EXISTS.
    sql`SELECT owing.user_id, owing.device_id FROM (
          SELECT d.user_id, d.device_id, d.format = 'import' AS is_file FROM devices d
          WHERE d.user_id = ${userId} AND (d.stays_due_from IS NOT NULL OR d.sends_visits)
          UNION
          SELECT d.user_id, d.device_id, d.format = 'import' FROM stay_backfills b
          JOIN devices d ON d.user_id = b.user_id AND d.device_id = b.device_id
          WHERE b.user_id = ${userId}
        ) owing ORDER BY owing.is_file, owing.device_id COLLATE "C"`.pipe(
      Rows.all(OwingRow),
      Effect.map((rows) => rows.map((row) => row.device_id)),
      orStoreError
    )

const behind =
  (sql: SqlClient): Store["behind"] =>
  ({ after, buckets, limit, until }) => {
    const rest =
      after === undefined
        ? sql`true`
        : sql`(owing.user_id COLLATE "C", owing.device_id COLLATE "C") > (${after.userId}, ${after.deviceId})`
    return sql`SELECT owing.user_id, owing.device_id FROM (
                 SELECT user_id, device_id FROM devices WHERE stays_due_from < ${Rows.at(until)} OR sends_visits
                 UNION SELECT user_id, device_id FROM stay_backfills
               ) owing
               WHERE ${rest} ${Buckets.andOf(sql, buckets, "owing.user_id")}
               ORDER BY owing.user_id COLLATE "C", owing.device_id COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(OwingRow),
      Effect.map((rows) => rows.map((row) => ({ userId: row.user_id, deviceId: row.device_id }))),
      orStoreError
    )
  }

const outdated =
  (sql: SqlClient): Store["outdated"] =>
  ({ after, buckets, limit }) => {
    const rest =
      after === undefined
        ? sql`true`
        : sql`(d.user_id COLLATE "C", d.device_id COLLATE "C") > (${after.userId}, ${after.deviceId})`
    return sql`SELECT d.user_id, d.device_id FROM devices d
               WHERE d.stays_rule < ${sql.literal(String(STAYS_RULE))} AND ${rest}
                 ${Buckets.andOf(sql, buckets, "d.user_id")}
               ORDER BY d.user_id COLLATE "C", d.device_id COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(OwingRow),
      Effect.map((rows) => rows.map((row) => ({ userId: row.user_id, deviceId: row.device_id }))),
      orStoreError
    )
  }

const CapturedRow = Schema.Struct({ captured_at: Rows.At })

const heardBefore =
  (sql: SqlClient): Store["heardBefore"] =>
  (userId, deviceId, at) =>
    heardBeforeStatement(sql, userId, deviceId, at).pipe(
      Rows.first(CapturedRow),
      Effect.map((row) => Option.getOrNull(Option.map(row, ({ captured_at }) => captured_at))),
      orStoreError
    )

const OpenRow = Schema.Struct({ place_id: PlaceId, arrival: Rows.At, heard_until: Rows.NullableAt })

const openAt =
  (sql: SqlClient): Store["openAt"] =>
  (userId, deviceId, at) =>
    sql`SELECT latest.place_id, latest.arrival, latest.heard_until
        FROM places p
        CROSS JOIN LATERAL (
          SELECT s.place_id, s.arrival, s.departure, s.heard_until FROM stays s
          WHERE s.user_id = ${userId} AND s.place_id = p.place_id AND s.device_id = ${deviceId}
            AND s.arrival < ${Rows.at(at)}
          ORDER BY s.arrival DESC LIMIT 1
        ) latest
        WHERE p.user_id = ${userId} AND (latest.departure IS NULL OR latest.departure >= ${Rows.at(at)})
        ORDER BY latest.place_id COLLATE "C"`.pipe(
      Rows.all(OpenRow),
      Effect.map((rows) =>
        rows.map((row) => ({ placeId: row.place_id, arrival: row.arrival, heardUntil: row.heard_until }))
      ),
      orStoreError
    )

const FixRow = Schema.Struct({
  captured_at: Rows.At,
  lat: Schema.Finite,
  lon: Schema.Finite,
  accuracy_m: Schema.NullOr(Schema.Finite),
  left_behind: Schema.Boolean
})

const toStayFix = (row: typeof FixRow.Type): Stay.StayFix => ({
  capturedAt: row.captured_at,
  lat: row.lat,
  lon: row.lon,
  accuracyM: row.accuracy_m,
  ...(row.left_behind ? ({ isLeftBehind: true } as const) : {})
})

const fixes =
  (sql: SqlClient): Store["fixes"] =>
  (userId, deviceId, from, limit) =>
    dueStatement(sql, userId, deviceId, from, limit).pipe(
      Rows.all(FixRow),
      Effect.map((rows) => rows.map(toStayFix)),
      orStoreError
    )
