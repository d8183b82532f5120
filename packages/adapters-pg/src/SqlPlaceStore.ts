import { SqlClient } from "@effect/sql/SqlClient"
import { Place, PlaceStore } from "@place-access/domain/places"
import { PlaceId, UserId } from "@place-access/domain/shared"
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

    return PlaceStore.of({
      create: (place) =>
        sql`INSERT INTO places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at, archived_at)
            VALUES (${place.userId}, ${place.id}, ${place.label}, ${place.kind}, ${place.circle.lat}, ${place.circle.lon},
                    ${place.circle.radiusM}, ${place.geometryVersion}, ${Rows.at(place.createdAt)},
                    ${Rows.nullableAt(place.archivedAt)})`.pipe(Effect.asVoid, orStoreError),

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

      update: (userId, id, change) =>
        Effect.gen(function* () {
          const before =
            yield* sql`SELECT ${columns} FROM places WHERE user_id = ${userId} AND place_id = ${id} FOR UPDATE`.pipe(
              Rows.first(PlaceRow)
            )
          if (Option.isNone(before)) return Option.none()
          const after = change(toPlace(before.value))
          yield* write(after)
          return Option.some(after)
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
