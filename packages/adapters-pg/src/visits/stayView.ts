import type { SqlClient } from "@effect/sql/SqlClient"
import { type DeviceId, PlaceId, type UserId } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as Erasures from "../retention-choice/Erasures.js"

const ProgressRow = Schema.Struct({
  version: Rows.Bigint,
  stays_due_from: Rows.NullableAt,
  // Null: this device has no place whose stays must still be derived.
  place_id: Schema.NullOr(PlaceId),
  due_from: Rows.NullableAt,
  erasures: Erasures.Column
})

const toView = (rows: ReadonlyArray<typeof ProgressRow.Type>) => ({
  version: rows[0]?.version ?? 0,
  progress: {
    dueFrom: rows[0]?.stays_due_from ?? null,
    backfills: rows.flatMap(({ due_from, place_id }) =>
      place_id === null || due_from === null ? [] : [{ placeId: place_id, dueFrom: due_from }]
    )
  },
  erasures: rows[0]?.erasures ?? []
})

/**
 * A release from before migration 0031 sets `sends_visits` on a phone that reports visits, and deletes the phone's
 * stays. Then all stays of the phone must be derived anew. After deriving the stays, this release clears
 * `sends_visits`.
 */
const DUE_FROM = `CASE WHEN d.sends_visits THEN timestamptz '2010-01-01 00:00:00+00' ELSE d.stays_due_from END`

/** Implements `StayStore.view`. */
export const stayView = (sql: SqlClient, userId: UserId, deviceId: DeviceId) =>
  sql`SELECT coalesce(stream.version, 0) AS version, b.place_id, b.due_from,
             ${sql.literal(DUE_FROM)} AS stays_due_from, ${Erasures.column(sql, userId)} AS erasures
      FROM devices d
      LEFT JOIN upload_streams stream ON stream.user_id = d.user_id
      LEFT JOIN stay_backfills b ON b.user_id = d.user_id AND b.device_id = d.device_id
      WHERE d.user_id = ${userId} AND d.device_id = ${deviceId}
      ORDER BY b.place_id COLLATE "C"`.pipe(Rows.all(ProgressRow), Effect.map(toView))
