import type { SqlClient } from "@effect/sql/SqlClient"
import { type DeviceId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Stay, type VisitStore } from "@place-access/domain/visits"
import * as Rows from "../Rows.js"

type Asked<Method extends keyof VisitStore["Type"]> = Parameters<VisitStore["Type"][Method]>[0]

/** Bounds where the question has none. */
const EVER = { from: Timestamp.make(0), to: Timestamp.make(253_402_300_799_999) }

export const staysStatement = (sql: SqlClient, { after, cutoff, limit, now, places, span, userId }: Asked<"stays">) => {
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
      SELECT s.place_id, s.arrival, coalesce(s.departure, d.history_ends_at) AS departure FROM stays s
      WHERE s.user_id = ${userId} AND s.place_id = asked.place_id AND s.device_id = d.device_id
        AND s.arrival >= asked.since AND s.arrival < asked.until
        AND coalesce(s.departure, d.history_ends_at, ${Rows.at(now)}::timestamptz) - s.arrival
          >= ${Stay.MIN_STAY}::integer * interval '1 millisecond'
        AND (${Rows.nullableAt(cutoff)}::timestamptz IS NULL
          OR coalesce(s.departure, d.history_ends_at, d.last_seen_at) > ${Rows.nullableAt(cutoff)}::timestamptz)
      ORDER BY s.arrival DESC LIMIT ${limit}
    ) stay
    ORDER BY stay.arrival DESC, stay.place_id COLLATE "C", stay.departure DESC NULLS FIRST LIMIT ${limit}`
}

export const toldStatement = (sql: SqlClient, { after, limit, span, userId }: Asked<"told">) => {
  const from = Rows.at(span.from ?? EVER.from)
  const to = Rows.at(Math.min(span.to ?? EVER.to, after === undefined ? EVER.to : after.arrival + 1))
  const rest =
    after === undefined
      ? sql``
      : sql`AND (r.arrival < ${Rows.at(after.arrival)} OR d.device_id COLLATE "C" > ${after.deviceId})`
  return sql`
    SELECT told.device_id, told.last_seen_at, told.history_ends_at, told.arrival AS head, told.next_arrival,
           r.arrival, r.departure, r.lat, r.lon, r.accuracy_m
    FROM (
      SELECT d.device_id, d.last_seen_at, d.history_ends_at, one.arrival, (
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
    ORDER BY told.arrival DESC, told.device_id COLLATE "C"`
}

/** What stays are derived from, in the order of `Fix.byCapture`. */
export const dueStatement = (
  sql: SqlClient,
  userId: UserId,
  deviceId: DeviceId,
  from: Timestamp.Timestamp,
  limit: number
) =>
  sql`SELECT captured_at, lat, lon, accuracy_m FROM fixes
      WHERE user_id = ${userId} AND device_id = ${deviceId} AND captured_at >= ${Rows.at(from)}
      ORDER BY captured_at, accuracy_m NULLS LAST, lat, lon LIMIT ${limit}`
