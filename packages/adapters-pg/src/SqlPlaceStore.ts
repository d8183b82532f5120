import { SqlClient } from "@effect/sql/SqlClient"
import { Fix } from "@place-access/domain/fixes"
import { Place, PlaceStore, Shape } from "@place-access/domain/places"
import { PlaceId, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const PlaceRow = Schema.Struct({
  user_id: UserId,
  place_id: PlaceId,
  label: Schema.typeSchema(Place.Label),
  kind: Place.Kind,
  lat: Schema.Finite,
  lon: Schema.Finite,
  radius_m: Schema.Finite,
  geometry_version: Schema.Int,
  created_at: Rows.At,
  archived_at: Rows.NullableAt
})

const toPlace = (row: typeof PlaceRow.Type): Place.Place => ({
  userId: row.user_id,
  id: row.place_id,
  label: row.label,
  kind: row.kind,
  circle: { lat: row.lat, lon: row.lon, radiusM: row.radius_m },
  geometryVersion: row.geometry_version,
  createdAt: row.created_at,
  archivedAt: row.archived_at
})

const ShapeRow = Schema.Struct({
  place_id: PlaceId,
  geometry_version: Schema.Int,
  valid_from: Rows.NullableAt,
  lat: Schema.Finite,
  lon: Schema.Finite,
  radius_m: Schema.Finite
})

const toShape = (row: typeof ShapeRow.Type): Shape.Shape => ({
  placeId: row.place_id,
  geometryVersion: row.geometry_version,
  validFrom: row.valid_from,
  circle: { lat: row.lat, lon: row.lon, radiusM: row.radius_m }
})

export const layer: Layer.Layer<PlaceStore, never, SqlClient> = Layer.effect(
  PlaceStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(PlaceRow.fields).join(", "))

    const write = (place: Place.Place) =>
      sql`UPDATE places SET
            label = ${place.label},
            kind = ${place.kind},
            lat = ${place.circle.lat},
            lon = ${place.circle.lon},
            radius_m = ${place.circle.radiusM},
            geometry_version = ${place.geometryVersion},
            archived_at = ${Rows.nullableAt(place.archivedAt)}
          WHERE user_id = ${place.userId} AND place_id = ${place.id}`

    const addShape = (place: Place.Place, validFrom: Timestamp.Timestamp | null) =>
      sql`INSERT INTO place_shapes (user_id, place_id, geometry_version, valid_from, lat, lon, radius_m)
          VALUES (${place.userId}, ${place.id}, ${place.geometryVersion}, ${Rows.nullableAt(validFrom)}, ${place.circle.lat},
                  ${place.circle.lon}, ${place.circle.radiusM})`

    /** Uploads and derivations that read the user's places before this are not stored: they read again. */
    const moveStream = (userId: UserId) =>
      sql`INSERT INTO upload_streams AS stream (user_id, version) VALUES (${userId}, 1)
          ON CONFLICT (user_id) DO UPDATE SET version = stream.version + 1`

    return PlaceStore.of({
      create: (place) =>
        Effect.gen(function* () {
          yield* moveStream(place.userId)
          yield* sql`INSERT INTO places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at,
                       archived_at)
                     VALUES (${place.userId}, ${place.id}, ${place.label}, ${place.kind}, ${place.circle.lat},
                       ${place.circle.lon}, ${place.circle.radiusM}, ${place.geometryVersion}, ${Rows.at(place.createdAt)},
                       ${Rows.nullableAt(place.archivedAt)})`
          yield* addShape(place, null)
          yield* sql`INSERT INTO stay_backfills (user_id, device_id, place_id, due_from)
                     SELECT user_id, device_id, ${place.id}, ${Rows.at(Fix.EARLIEST)}::timestamptz
                     FROM devices WHERE user_id = ${place.userId}`
        }).pipe(sql.withTransaction, orStoreError),

      find: (userId, id) =>
        sql`SELECT ${columns} FROM places WHERE user_id = ${userId} AND place_id = ${id}`.pipe(
          Rows.first(PlaceRow),
          Effect.map(Option.map(toPlace)),
          orStoreError
        ),

      list: (userId) =>
        sql`SELECT ${columns} FROM places WHERE user_id = ${userId} ORDER BY label COLLATE "C", place_id COLLATE "C"`.pipe(
          Rows.all(PlaceRow),
          Effect.map((rows) => rows.map(toPlace)),
          orStoreError
        ),

      shapes: (userId) =>
        sql`SELECT place_id, geometry_version, valid_from, lat, lon, radius_m FROM place_shapes WHERE user_id = ${userId}
            ORDER BY place_id COLLATE "C", geometry_version`.pipe(
          Rows.all(ShapeRow),
          Effect.map((rows) => rows.map(toShape)),
          orStoreError
        ),

      update: (userId, id, change) =>
        Effect.gen(function* () {
          const before =
            yield* sql`SELECT ${columns} FROM places WHERE user_id = ${userId} AND place_id = ${id} FOR UPDATE`.pipe(
              Rows.first(PlaceRow)
            )
          if (Option.isNone(before)) return Option.none()
          const now = yield* Timestamp.now
          const after = change(toPlace(before.value), now)
          yield* write(after)
          const moved = after.geometryVersion !== before.value.geometry_version
          if (moved) yield* addShape(after, now)
          if (moved || after.archivedAt !== before.value.archived_at) {
            yield* moveStream(userId)
            yield* sql`UPDATE devices SET stays_due_from = least(stays_due_from, ${Rows.at(now)}::timestamptz)
                       WHERE user_id = ${userId}`
          }
          return Option.some(after)
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
