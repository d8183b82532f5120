import { SqlClient } from "@effect/sql/SqlClient"
import { DeviceId, PlaceId, Timestamp } from "@place-access/domain/shared"
import { type OsVisit, Stay, VisitStore } from "@place-access/domain/visits"
import { Effect, Layer, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import * as Rows from "./Rows.js"

const StayRow = Schema.Struct({ place_id: PlaceId, arrival: Rows.At, departure: Rows.NullableAt })

/** One report of a visit. */
const ToldRow = Schema.Struct({
  device_id: DeviceId,
  head: Rows.At,
  next_arrival: Rows.NullableAt,
  arrival: Rows.NullableAt,
  departure: Rows.NullableAt,
  lat: Schema.Finite,
  lon: Schema.Finite,
  accuracy_m: Schema.NullOr(Schema.Finite)
})

/** Rows of one visit lie together. */
const toTold = (rows: ReadonlyArray<typeof ToldRow.Type>): ReadonlyArray<OsVisit.Told> => {
  const told: Array<{
    readonly deviceId: DeviceId
    readonly arrival: Timestamp.Timestamp
    readonly nextArrival: Timestamp.Timestamp | null
    readonly reports: Array<OsVisit.Told["reports"][number]>
    readonly departures: Array<OsVisit.Told["departures"][number]>
  }> = []
  for (const row of rows) {
    let one = told.at(-1)
    if (one?.deviceId !== row.device_id || one.arrival !== row.head) {
      one = { deviceId: row.device_id, arrival: row.head, nextArrival: row.next_arrival, reports: [], departures: [] }
      told.push(one)
    }
    const { arrival, departure, lat, lon } = row
    const report = { arrival, departure, lat, lon, accuracyM: row.accuracy_m }
    if (arrival === null) one.departures.push(report)
    else one.reports.push(report)
  }
  return told
}

/** Bounds where the question has none. */
const EVER = { from: Timestamp.make(0), to: Timestamp.make(253_402_300_799_999) }

export const layer: Layer.Layer<VisitStore, never, SqlClient> = Layer.effect(
  VisitStore,
  Effect.map(SqlClient, (sql) =>
    VisitStore.of({
      stays: ({ after, limit, now, places, span, userId }) => {
        const from = places.map(({ since }) => Rows.at(Math.max(since ?? EVER.from, span.from ?? EVER.from)))
        const to = places.map(({ placeId }) =>
          Rows.at(
            Math.min(
              span.to ?? EVER.to,
              after === undefined ? EVER.to : placeId > after.placeId ? after.arrival + 1 : after.arrival
            )
          )
        )
        // One walk down an index for each place and phone, no further than a page goes.
        return sql`
          SELECT DISTINCT ON (stay.arrival, stay.place_id COLLATE "C") stay.place_id, stay.arrival, stay.departure
          FROM unnest(${places.map((place) => place.placeId)}::text[], ${from}::timestamptz[], ${to}::timestamptz[])
            AS asked (place_id, since, until)
          JOIN devices d ON d.user_id = ${userId} AND NOT d.sends_visits
          CROSS JOIN LATERAL (
            SELECT s.place_id, s.arrival, s.departure FROM stays s
            WHERE s.user_id = ${userId} AND s.place_id = asked.place_id AND s.device_id = d.device_id
              AND s.arrival >= asked.since AND s.arrival < asked.until
              AND coalesce(s.departure, ${Rows.at(now)}::timestamptz) - s.arrival
                >= ${Stay.MIN_STAY}::integer * interval '1 millisecond'
            ORDER BY s.arrival DESC LIMIT ${limit}
          ) stay
          ORDER BY stay.arrival DESC, stay.place_id COLLATE "C", stay.departure DESC NULLS FIRST LIMIT ${limit}`.pipe(
          Rows.all(StayRow),
          Effect.map((rows) =>
            rows.map(({ arrival, departure, place_id }) => ({ placeId: place_id, arrival, departure }))
          ),
          orStoreError
        )
      },

      told: ({ after, limit, span, userId }) => {
        const from = Rows.at(span.from ?? EVER.from)
        const to = Rows.at(Math.min(span.to ?? EVER.to, after === undefined ? EVER.to : after.arrival + 1))
        const rest =
          after === undefined
            ? sql``
            : sql`AND (r.arrival < ${Rows.at(after.arrival)} OR d.device_id COLLATE "C" > ${after.deviceId})`
        return sql`
          SELECT told.device_id, told.arrival AS head, told.next_arrival,
                 r.arrival, r.departure, r.lat, r.lon, r.accuracy_m
          FROM (
            SELECT d.device_id, one.arrival, (
              SELECT min(later.arrival) FROM visit_reports later
              WHERE later.user_id = ${userId} AND later.device_id = d.device_id AND later.arrival > one.arrival
            ) AS next_arrival
            FROM devices d
            CROSS JOIN LATERAL (
              SELECT DISTINCT r.arrival FROM visit_reports r
              WHERE r.user_id = ${userId} AND r.device_id = d.device_id AND r.arrival >= ${from} AND r.arrival < ${to} ${rest}
              ORDER BY r.arrival DESC LIMIT ${limit}
            ) one
            WHERE d.user_id = ${userId} AND d.sends_visits
            ORDER BY one.arrival DESC, d.device_id COLLATE "C" LIMIT ${limit}
          ) told
          CROSS JOIN LATERAL (
            SELECT arrival, departure, lat, lon, accuracy_m FROM visit_reports
            WHERE user_id = ${userId} AND device_id = told.device_id AND arrival = told.arrival
            UNION ALL
            SELECT arrival, departure, lat, lon, accuracy_m FROM visit_reports
            WHERE user_id = ${userId} AND device_id = told.device_id AND arrival IS NULL
              AND departure >= told.arrival AND departure < coalesce(told.next_arrival, 'infinity')
          ) r
          ORDER BY told.arrival DESC, told.device_id COLLATE "C"`.pipe(
          Rows.all(ToldRow),
          Effect.map(toTold),
          orStoreError
        )
      }
    })
  )
)
