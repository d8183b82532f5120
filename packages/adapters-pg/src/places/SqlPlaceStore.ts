import { SqlClient } from "@effect/sql/SqlClient"
import { Fix } from "@place-access/domain/fixes"
import { PlaceStore, type Shape } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { PlaceId, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { reads } from "../driver/Client.js"
import { orStoreError } from "../Failures.js"
import { countOf } from "./insertReturned.js"
import * as PlaceWrites from "./PlaceWrites.js"
import { PlaceRow, toPlace } from "./PlaceWrites.js"
import * as Rows from "../driver/Rows.js"
import * as UploadStream from "../history/UploadStream.js"

/** The columns of `place_shapes` that make a `Shape`. */
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
    const writes = PlaceWrites.make(sql)
    const { columns } = writes
    const read = reads(sql)

    return PlaceStore.of({
      create: (place) =>
        Effect.gen(function* () {
          // Locks the user's row of `upload_streams`. When two places are created at the same time, the second creation
          // waits and then counts the first place, so that the limit of places is kept.
          yield* UploadStream.lock(sql, place.userId, 1)
          if ((yield* countOf(sql, place.userId)) >= AccountLimits.PLACES.most) return false
          yield* sql`INSERT INTO places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at,
                       archived_at)
                     VALUES (${place.userId}, ${place.id}, ${place.label}, ${place.kind}, ${place.circle.lat},
                       ${place.circle.lon}, ${place.circle.radiusM}, ${place.geometryVersion},
                         ${Rows.at(place.createdAt)},
                       ${Rows.nullableAt(place.archivedAt)})`
          yield* writes.addShape(place, null)
          yield* sql`INSERT INTO stay_backfills (user_id, device_id, place_id, due_from)
                     SELECT user_id, device_id, ${place.id}, ${Rows.at(Fix.EARLIEST)}::timestamptz
                     FROM devices WHERE user_id = ${place.userId}`
          return true
        }).pipe(sql.withTransaction, orStoreError),

      find: (userId, id) =>
        sql`SELECT ${columns} FROM places WHERE user_id = ${userId} AND place_id = ${id}`.pipe(
          Rows.first(PlaceRow),
          Effect.map(Option.map(toPlace)),
          orStoreError
        ),

      list: (userId) =>
        read`SELECT ${columns} FROM places WHERE user_id = ${userId} ORDER BY label COLLATE "C", place_id COLLATE "C"`.pipe(
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
          const before = yield* writes.lock(userId, id)
          if (Option.isNone(before)) return Option.none()
          const now = yield* Timestamp.now
          const after = change(before.value, now)
          yield* writes.store(before.value, after, now)
          return Option.some(after)
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
