import type { SqlClient } from "@effect/sql/SqlClient"
import { Place } from "@place-access/domain/places"
import { PlaceId, type Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { staysDueFrom } from "../history/staysDueFrom.js"
import * as UploadStream from "../history/UploadStream.js"

export const PlaceRow = Schema.Struct({
  user_id: UserId,
  place_id: PlaceId,
  label: Schema.typeSchema(Place.Label),
  kind: Place.PlaceKind,
  lat: Schema.Finite,
  lon: Schema.Finite,
  radius_m: Schema.Finite,
  geometry_version: Schema.Int,
  created_at: Rows.At,
  archived_at: Rows.NullableAt
})

export const toPlace = (row: typeof PlaceRow.Type): Place.Place => ({
  userId: row.user_id,
  id: row.place_id,
  label: row.label,
  kind: row.kind,
  circle: { lat: row.lat, lon: row.lon, radiusM: row.radius_m },
  geometryVersion: row.geometry_version,
  createdAt: row.created_at,
  archivedAt: row.archived_at
})

/** The statements that change the rows of one place. */
export const make = (sql: SqlClient) => {
  const columns = Rows.columns(PlaceRow)

  const addShape = (place: Place.Place, validFrom: Timestamp.Timestamp | null) =>
    sql`INSERT INTO place_shapes (user_id, place_id, geometry_version, valid_from, lat, lon, radius_m)
        VALUES (${place.userId}, ${place.id}, ${place.geometryVersion}, ${Rows.nullableAt(validFrom)},
          ${place.circle.lat},
                ${place.circle.lon}, ${place.circle.radiusM})`

  return {
    columns,
    addShape,

    lock: (userId: UserId, id: PlaceId) =>
      sql`SELECT ${columns} FROM places WHERE user_id = ${userId} AND place_id = ${id} FOR UPDATE`.pipe(
        Rows.first(PlaceRow),
        Effect.map(Option.map(toPlace))
      ),

    /** A statement that reads all places of the user. */
    all: (userId: UserId) => sql`SELECT ${columns} FROM places WHERE user_id = ${userId}`,

    /**
     * Reads all places of the user, and locks them until the end of the transaction, so that none is archived
     * meanwhile. The lock is FOR SHARE, so that two of these reads do not wait for each other.
     */
    lockAll: (userId: UserId) =>
      sql`SELECT ${columns} FROM places WHERE user_id = ${userId} ORDER BY place_id COLLATE "C" FOR SHARE`.pipe(
        Rows.all(PlaceRow),
        Effect.map((rows) => rows.map(toPlace))
      ),

    /** Writes the new state of a place at `now`. The caller holds the lock of the place's row. */
    store: (before: Place.Place, after: Place.Place, now: Timestamp.Timestamp) =>
      Effect.gen(function* () {
        yield* sql`UPDATE places SET
              label = ${after.label},
              kind = ${after.kind},
              lat = ${after.circle.lat},
              lon = ${after.circle.lon},
              radius_m = ${after.circle.radiusM},
              geometry_version = ${after.geometryVersion},
              archived_at = ${Rows.nullableAt(after.archivedAt)}
            WHERE user_id = ${after.userId} AND place_id = ${after.id}`
        const moved = after.geometryVersion !== before.geometryVersion
        if (moved) yield* addShape(after, now)
        if (moved || after.archivedAt !== before.archivedAt) {
          yield* UploadStream.lock(sql, after.userId, 1)
          yield* sql`UPDATE devices SET stays_due_from = ${staysDueFrom(sql, now)} WHERE user_id = ${after.userId}`
        }
      })
  }
}
