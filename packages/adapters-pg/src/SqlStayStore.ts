import { SqlClient } from "@effect/sql/SqlClient"
import { Carried } from "@place-access/domain/devices"
import { DeviceId, PlaceId, UserId } from "@place-access/domain/shared"
import { type StayProgress, StayStore } from "@place-access/domain/visits"
import { Effect, Layer, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"
import { dueStatement } from "./visits/VisitReads.js"

const OwingRow = Schema.Struct({ user_id: UserId, device_id: DeviceId })

const ProgressRow = Schema.Struct({
  version: Rows.Bigint,
  stays_due_from: Rows.NullableAt,
  // null when no place is behind
  place_id: Schema.NullOr(PlaceId),
  due_from: Rows.NullableAt
})

const OpenRow = Schema.Struct({ place_id: PlaceId, arrival: Rows.At })

const FixRow = Schema.Struct({
  captured_at: Rows.At,
  lat: Schema.Finite,
  lon: Schema.Finite,
  accuracy_m: Schema.NullOr(Schema.Finite),
  left_behind: Schema.Boolean
})

/**
 * A program of the release before marks a phone that tells visits and deletes its stays. Until this program has derived them again, all
 * of them are due; it takes the mark away.
 */
const DUE_FROM = `CASE WHEN d.sends_visits THEN timestamptz '2010-01-01 00:00:00+00' ELSE d.stays_due_from END`

const toView = (rows: ReadonlyArray<typeof ProgressRow.Type>) => ({
  version: rows[0]?.version ?? 0,
  progress: {
    dueFrom: rows[0]?.stays_due_from ?? null,
    backfills: rows.flatMap(({ due_from, place_id }) =>
      place_id === null || due_from === null ? [] : [{ placeId: place_id, dueFrom: due_from }]
    )
  }
})

export const layer: Layer.Layer<StayStore, never, SqlClient> = Layer.effect(
  StayStore,
  Effect.map(SqlClient, (sql) => {
    const readView = (userId: UserId, deviceId: DeviceId) =>
      sql`SELECT coalesce(stream.version, 0) AS version, b.place_id, b.due_from,
                 ${sql.literal(DUE_FROM)} AS stays_due_from
          FROM devices d
          LEFT JOIN upload_streams stream ON stream.user_id = d.user_id
          LEFT JOIN stay_backfills b ON b.user_id = d.user_id AND b.device_id = d.device_id
          WHERE d.user_id = ${userId} AND d.device_id = ${deviceId}
          ORDER BY b.place_id COLLATE "C"`.pipe(Rows.all(ProgressRow), Effect.map(toView))

    const writeProgress = (
      userId: UserId,
      deviceId: DeviceId,
      before: StayProgress.Progress,
      { backfills, dueFrom }: Pick<StayProgress.Progress, "backfills" | "dueFrom">
    ) =>
      Effect.gen(function* () {
        yield* sql`UPDATE devices SET stays_due_from = ${Rows.nullableAt(dueFrom)}, sends_visits = false
                   WHERE user_id = ${userId} AND device_id = ${deviceId}`
        if (before.backfills.length === 0) return
        yield* sql`DELETE FROM stay_backfills WHERE user_id = ${userId} AND device_id = ${deviceId}`
        yield* sql`INSERT INTO stay_backfills (user_id, device_id, place_id, due_from)
                   SELECT ${userId}, ${deviceId}, place_id, due_from
                   FROM unnest(${backfills.map((one) => one.placeId)}::text[],
                               ${backfills.map((one) => Rows.at(one.dueFrom))}::timestamptz[]) AS t (place_id, due_from)`
      })

    /** Uploads and other derivations of the user wait from here on. */
    const lockStream = (userId: UserId) => sql`SELECT 1 FROM upload_streams WHERE user_id = ${userId} FOR UPDATE`

    return StayStore.of({
      due: (userId) =>
        sql`SELECT user_id, device_id FROM devices WHERE user_id = ${userId} AND (stays_due_from IS NOT NULL OR sends_visits)
            UNION SELECT user_id, device_id FROM stay_backfills WHERE user_id = ${userId}
            ORDER BY device_id`.pipe(
          Rows.all(OwingRow),
          Effect.map((rows) => rows.map((row) => row.device_id)),
          orStoreError
        ),

      behind: ({ after, limit, until }) =>
        sql`SELECT owing.user_id, owing.device_id FROM (
              SELECT user_id, device_id FROM devices WHERE stays_due_from < ${Rows.at(until)} OR sends_visits
              UNION SELECT user_id, device_id FROM stay_backfills
            ) owing
            WHERE ${
              after === undefined
                ? sql`true`
                : sql`(owing.user_id COLLATE "C", owing.device_id COLLATE "C") > (${after.userId}, ${after.deviceId})`
            }
            ORDER BY owing.user_id COLLATE "C", owing.device_id COLLATE "C" LIMIT ${limit}`.pipe(
          Rows.all(OwingRow),
          Effect.map((rows) => rows.map((row) => ({ userId: row.user_id, deviceId: row.device_id }))),
          orStoreError
        ),

      view: (userId, deviceId) => readView(userId, deviceId).pipe(orStoreError),

      openAt: (userId, deviceId, at) =>
        sql`SELECT latest.place_id, latest.arrival
            FROM places p
            CROSS JOIN LATERAL (
              SELECT s.place_id, s.arrival, s.departure FROM stays s
              WHERE s.user_id = ${userId} AND s.place_id = p.place_id AND s.device_id = ${deviceId}
                AND s.arrival < ${Rows.at(at)}
              ORDER BY s.arrival DESC LIMIT 1
            ) latest
            WHERE p.user_id = ${userId} AND (latest.departure IS NULL OR latest.departure >= ${Rows.at(at)})
            ORDER BY latest.place_id COLLATE "C"`.pipe(
          Rows.all(OpenRow),
          Effect.map((rows) => rows.map((row) => ({ placeId: row.place_id, arrival: row.arrival }))),
          orStoreError
        ),

      fixes: (userId, deviceId, from, limit) =>
        dueStatement(sql, userId, deviceId, from, limit).pipe(
          Rows.all(FixRow),
          Effect.map((rows) =>
            rows.map((row) => {
              const fix = { capturedAt: row.captured_at, lat: row.lat, lon: row.lon, accuracyM: row.accuracy_m }
              return row.left_behind ? Carried.elsewhere(fix) : fix
            })
          ),
          orStoreError
        ),

      commit: ({ deviceId, from, placeIds, progress, stays, to, userId, view }) =>
        Effect.gen(function* () {
          yield* lockStream(userId)
          if (Rows.json(yield* readView(userId, deviceId)) !== Rows.json(view)) return false
          yield* sql`DELETE FROM stays
                     WHERE user_id = ${userId} AND place_id = ANY(${placeIds}::text[]) AND device_id = ${deviceId}
                       AND arrival >= ${Rows.at(from)}
                       AND (${Rows.nullableAt(to)}::timestamptz IS NULL OR arrival <= ${Rows.nullableAt(to)}::timestamptz)`
          yield* sql`INSERT INTO stays (user_id, place_id, device_id, arrival, departure)
                     SELECT ${userId}, place_id, ${deviceId}, arrival, departure
                     FROM unnest(${stays.map((stay) => stay.placeId)}::text[],
                                 ${stays.map((stay) => Rows.at(stay.arrival))}::timestamptz[],
                                 ${stays.map((stay) => Rows.nullableAt(stay.departure))}::timestamptz[])
                       AS t (place_id, arrival, departure)
                     ON CONFLICT (user_id, place_id, device_id, arrival) DO UPDATE SET departure = excluded.departure`
          yield* writeProgress(userId, deviceId, view.progress, progress)
          return true
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
