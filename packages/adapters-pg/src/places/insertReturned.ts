import type { SqlClient } from "@effect/sql/SqlClient"
import { Fix } from "@place-access/domain/fixes"
import { ImportedPlace } from "@place-access/domain/imports"
import type { UserId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"

const CountRow = Schema.Struct({ count: Rows.Bigint })

/**
 * Counts the person's archived places if `isArchived`, else the places that are not archived. The limit is
 * `AccountLimits.ARCHIVED_PLACES` or `AccountLimits.PLACES`.
 */
export const countOf = (sql: SqlClient, userId: UserId, isArchived = false) =>
  sql`SELECT count(*) AS count FROM places
      WHERE user_id = ${userId} AND (archived_at IS NOT NULL) = ${isArchived}`.pipe(
    Rows.first(CountRow),
    Effect.map(Option.match({ onNone: () => 0, onSome: ({ count }) => count }))
  )

/**
 * Stores a place of an exported archive with its shapes. Stores nothing when the person has the place already
 * (`ImportedPlace.isSame`), or when the account has reached its limit of archived places or of other places
 * (`ImportedPlace.limitOf`). The caller has locked the person's row of `upload_streams` and raised its version.
 */
export const insertReturned = (sql: SqlClient, { origin, place, shapes }: ImportedPlace.ReturnedPlace) =>
  Effect.gen(function* () {
    const { archivedAt, circle, createdAt, geometryVersion, id, kind, label, userId } = place
    const known = yield* sql`SELECT 1 FROM places known WHERE known.user_id = ${userId} AND (
        known.place_id IN (${id}, ${origin}) OR (
          known.label = ${label} AND known.kind = ${kind} AND known.lat = ${circle.lat}
          AND known.lon = ${circle.lon} AND known.radius_m = ${circle.radiusM}
          AND (known.archived_at IS NULL) = ${archivedAt === null})) LIMIT 1`
    if (known.length > 0) return "known" as const
    const { most } = ImportedPlace.limitOf(place)
    if ((yield* countOf(sql, userId, archivedAt !== null)) >= most) return "no room" as const
    yield* sql`INSERT INTO places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at,
                                   archived_at)
               VALUES (${userId}, ${id}, ${label}, ${kind}, ${circle.lat}, ${circle.lon}, ${circle.radiusM},
                       ${geometryVersion}, ${Rows.at(createdAt)}, ${Rows.nullableAt(archivedAt)})`
    yield* sql`INSERT INTO place_shapes (user_id, place_id, geometry_version, valid_from, lat, lon, radius_m)
               SELECT ${userId}, ${id}, shape.* FROM unnest(
                 ${Rows.numbers(shapes, (shape) => shape.geometryVersion)}::integer[],
                 ${shapes.map((shape) => Rows.nullableAt(shape.validFrom))}::timestamptz[],
                 ${Rows.numbers(shapes, (shape) => shape.circle.lat)}::float8[],
                 ${Rows.numbers(shapes, (shape) => shape.circle.lon)}::float8[],
                 ${Rows.numbers(shapes, (shape) => shape.circle.radiusM)}::float8[]) AS shape`
    yield* sql`INSERT INTO stay_backfills (user_id, device_id, place_id, due_from)
               SELECT user_id, device_id, ${id}, ${Rows.at(Fix.EARLIEST)}::timestamptz
               FROM devices WHERE user_id = ${userId}`
    return "stored" as const
  })
