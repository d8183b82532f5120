import type { SqlClient } from "@effect/sql/SqlClient"
import { type DeviceId, Timestamp, type UserId } from "@place-access/domain/shared"
import { OsVisit, Stay, type VisitStore } from "@place-access/domain/visits"
import type { Fragment } from "@effect/sql/Statement"
import * as Rows from "../driver/Rows.js"

type QuestionOf<Method extends keyof VisitStore["Type"]> = Parameters<VisitStore["Type"][Method]>[0]

/**
 * SQL: the end of the stay `s`, as `Stay.departureOf` computes it in memory. A stay of an imported file ends at the
 * latest when the file of device `d` ends, even if the stay is stored without an end, or if a deleted stretch of
 * history gave it a later end. `least` ignores null.
 */
const TOLD = `least(d.history_ends_at,
  CASE WHEN s.departure IS NOT NULL THEN coalesce(s.heard_until, s.departure) END)`

/**
 * An SQL condition on a stay `s`: the user left at its departure or later, at an unknown time (`Visit.isUncertain`).
 * `heard_until` alone is not enough: a release from before migration 0083 may open a stay again without clearing that
 * column.
 */
const UNCERTAIN = `s.departure IS NOT NULL AND s.heard_until IS NOT NULL`

/** The bounds for a request that names no bounds: from the beginning of 1970 until the end of the year 9999. */
const EVER = { from: Timestamp.make(0), to: Timestamp.make(253_402_300_799_999) }

export const staysStatement = (
  sql: SqlClient,
  { after, cutoff, limit, now, places, span, unfinished, userId }: QuestionOf<"stays">
) => {
  const from = places.map(({ since }) => Rows.at(Math.max(since ?? EVER.from, span.from ?? EVER.from)))
  const to = places.map(({ placeId }) =>
    Rows.at(
      Math.min(
        span.to ?? EVER.to,
        after === undefined ? EVER.to : placeId > after.placeId ? after.arrival + 1 : after.arrival
      )
    )
  )
  const isFinal =
    unfinished.length === 0
      ? sql`true`
      : sql`NOT EXISTS (
          SELECT FROM unnest(${unfinished.map((one) => one.deviceId)}::text[],
            ${unfinished.map((one) => one.placeId)}::text[],
                             ${unfinished.map((one) => Rows.at(one.dueFrom - Stay.FINAL_AFTER))}::timestamptz[])
            AS due (device_id, place_id, final_until)
          WHERE due.device_id = s.device_id AND due.place_id = s.place_id
            AND (s.departure IS NULL OR s.departure > due.final_until))`
  // Makes one index look-up for each place and device. A look-up stops after a page of rows.
  return sql`
    SELECT stay.place_id, d.device_id, stay.arrival, stay.departure, stay.uncertain
    FROM unnest(${places.map((place) => place.placeId)}::text[], ${from}::timestamptz[], ${to}::timestamptz[])
      AS asked (place_id, since, until)
    JOIN devices d ON d.user_id = ${userId}
    CROSS JOIN LATERAL (
      SELECT s.place_id, s.arrival, ${sql.literal(TOLD)} AS departure, ${sql.literal(UNCERTAIN)} AS uncertain
      FROM stays s
      WHERE s.user_id = ${userId} AND s.place_id = asked.place_id AND s.device_id = d.device_id
        AND s.arrival >= asked.since AND s.arrival < asked.until AND ${isFinal}
        AND coalesce(${sql.literal(TOLD)}, ${Rows.at(now)}::timestamptz) - s.arrival
          >= ${Stay.MIN_STAY}::integer * interval '1 millisecond'
        AND (${Rows.nullableAt(cutoff)}::timestamptz IS NULL
          OR coalesce(${sql.literal(TOLD)}, d.last_seen_at) > ${Rows.nullableAt(cutoff)}::timestamptz)
      ORDER BY s.arrival DESC LIMIT ${limit}
    ) stay
    ORDER BY stay.arrival DESC, stay.place_id COLLATE "C", stay.departure DESC NULLS FIRST, d.device_id COLLATE "C"
      LIMIT ${limit}`
}

/** Two SQL arrays with a comma between them: the beginnings of the spans, and the ends of the spans. */
const bounds = (
  sql: SqlClient,
  spans: ReadonlyArray<{ readonly from: Timestamp.Timestamp; readonly to: Timestamp.Timestamp | null }>
) =>
  sql`${spans.map((one) => Rows.at(one.from))}::timestamptz[], ${spans.map((one) => Rows.at(one.to ?? EVER.to))}::timestamptz[]`

/**
 * An SQL condition: the stay `s` is at the requested place and of the requested device, and was open at the beginning
 * of the span or begins within the span.
 */
const isWithin = (sql: SqlClient, userId: UserId) => sql`
        s.user_id = ${userId} AND s.place_id = asked.place_id AND s.device_id = asked.device_id
        AND s.arrival >= coalesce((
          SELECT max(b.arrival) FROM stays b
          WHERE b.user_id = ${userId} AND b.place_id = asked.place_id AND b.device_id = asked.device_id
            AND b.arrival <= asked.since
        ), asked.since)
        AND s.arrival < asked.until AND coalesce(${sql.literal(TOLD)}, 'infinity') > asked.since`

/**
 * Selects, for each span, the end of one stay: the stay that was open at the beginning of the span, or else the first
 * stay that begins within the span.
 */
export const endsStatement = (sql: SqlClient, [userId, spans]: Parameters<VisitStore["Type"]["ends"]>) =>
  sql`
    SELECT stay.departure, coalesce(stay.uncertain, false) AS uncertain
    FROM unnest(${spans.map((one) => one.deviceId)}::text[], ${spans.map((one) => one.placeId)}::text[],
      ${bounds(sql, spans)})
      WITH ORDINALITY AS asked (device_id, place_id, since, until, number)
    LEFT JOIN LATERAL (
      SELECT ${sql.literal(TOLD)} AS departure, ${sql.literal(UNCERTAIN)} AS uncertain
      FROM stays s JOIN devices d ON d.user_id = ${userId} AND d.device_id = s.device_id
      WHERE ${isWithin(sql, userId)}
      ORDER BY s.arrival LIMIT 1
    ) stay ON true
    ORDER BY asked.number`

/** The columns that `reportsOf` needs of a visit: the visit of device `d` that begins at `one.arrival`. */
const head = (sql: SqlClient, userId: UserId) =>
  sql`d.device_id, d.last_seen_at, d.history_ends_at, one.arrival, (
      SELECT min(later.arrival) FROM visit_reports later
      WHERE later.user_id = ${userId} AND later.device_id = d.device_id AND later.arrival > one.arrival
    ) AS next_arrival`

export const reportsStatement = (sql: SqlClient, { after, limit, span, userId }: QuestionOf<"reports">) => {
  const from = Rows.at(span.from ?? EVER.from)
  const to = Rows.at(Math.min(span.to ?? EVER.to, after === undefined ? EVER.to : after.arrival + 1))
  const rest =
    after === undefined
      ? sql``
      : sql`AND (r.arrival < ${Rows.at(after.arrival)} OR d.device_id COLLATE "C" > ${after.deviceId})`
  return reportsOf(
    sql,
    userId,
    sql`
      SELECT ${head(sql, userId)}
      FROM devices d
      CROSS JOIN LATERAL (
        SELECT DISTINCT r.arrival FROM visit_reports r
        WHERE r.user_id = ${userId} AND r.device_id = d.device_id AND r.arrival >= ${from} AND r.arrival < ${to} ${rest}
        ORDER BY r.arrival DESC LIMIT ${limit}
      ) one
      WHERE d.user_id = ${userId}
      ORDER BY one.arrival DESC, d.device_id COLLATE "C" LIMIT ${limit}`
  )
}

/** Selects the stays that touch any of the spans. A stay that touches several spans appears once. */
export const staysWithinStatement = (sql: SqlClient, [userId, spans]: Parameters<VisitStore["Type"]["staysWithin"]>) =>
  sql`
    SELECT DISTINCT ON (stay.arrival, stay.device_id COLLATE "C", stay.place_id COLLATE "C")
           stay.place_id, stay.device_id, stay.arrival, stay.departure, stay.uncertain
    FROM unnest(${spans.map((one) => one.deviceId)}::text[], ${spans.map((one) => one.placeId)}::text[],
      ${bounds(sql, spans)})
      AS asked (device_id, place_id, since, until)
    JOIN devices d ON d.user_id = ${userId} AND d.device_id = asked.device_id
    CROSS JOIN LATERAL (
      SELECT s.place_id, s.device_id, s.arrival, ${sql.literal(TOLD)} AS departure,
             ${sql.literal(UNCERTAIN)} AS uncertain
      FROM stays s
      WHERE ${isWithin(sql, userId)}
    ) stay
    ORDER BY stay.arrival, stay.device_id COLLATE "C", stay.place_id COLLATE "C"`

/**
 * Selects the median position of each span. When most readings are more than 90° from Greenwich, longitudes count from
 * 0° to 360° eastward. From -180° to 180°, readings on both sides of the 180° meridian would sort as two groups.
 */
export const mediansStatement = (sql: SqlClient, [userId, spans]: Parameters<VisitStore["Type"]["medians"]>) =>
  sql`
    SELECT median.lat, CASE
        WHEN NOT median.is_far THEN median.lon
        WHEN median.eastward > 180 THEN median.eastward - 360
        ELSE median.eastward
      END AS lon
    FROM unnest(${spans.map((one) => one.deviceId)}::text[], ${bounds(sql, spans)})
      WITH ORDINALITY AS asked (device_id, since, until, number)
    CROSS JOIN LATERAL (
      SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY f.lat) AS lat,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY f.lon) AS lon,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY CASE WHEN f.lon < 0 THEN f.lon + 360 ELSE f.lon END) AS eastward,
        count(*) FILTER (WHERE abs(f.lon) > 90) * 2 > count(*) AS is_far
      FROM fixes f
      WHERE f.user_id = ${userId} AND (f.device_id = asked.device_id OR asked.device_id = ANY(f.also_from))
        AND f.captured_at >= asked.since
        AND f.captured_at < asked.until
        AND NOT f.left_behind
    ) median
    ORDER BY asked.number`

/**
 * Selects, for each device, the visits that arrived in its span, the last visit before the span, and all visits that
 * reach into the span.
 */
export const reportsWithinStatement = (
  sql: SqlClient,
  [userId, spans]: Parameters<VisitStore["Type"]["reportsWithin"]>
) =>
  reportsOf(
    sql,
    userId,
    sql`
      SELECT ${head(sql, userId)}
      FROM unnest(${spans.map((one) => one.deviceId)}::text[], ${bounds(sql, spans)}) AS asked (device_id, since, until)
      JOIN devices d ON d.user_id = ${userId} AND d.device_id = asked.device_id
      CROSS JOIN LATERAL (
        SELECT DISTINCT r.arrival FROM visit_reports r
        WHERE r.user_id = ${userId} AND r.device_id = d.device_id AND r.arrival < asked.until
          AND (
            r.arrival >= coalesce((
              SELECT max(b.arrival) FROM visit_reports b
              WHERE b.user_id = ${userId} AND b.device_id = d.device_id AND b.arrival <= asked.since
            ), asked.since)
            OR r.departure > asked.since
              AND r.arrival >= asked.since - ${OsVisit.LONGEST}::float8 * interval '1 millisecond'
          )
      ) one`
  )

/**
 * Selects every report of the visits that `heads` lists. The reports of one visit are adjacent, and the latest visit
 * comes first.
 */
const reportsOf = (sql: SqlClient, userId: UserId, heads: Fragment) =>
  sql`
    SELECT told.device_id, told.last_seen_at, told.history_ends_at, told.arrival AS head, told.next_arrival,
           r.arrival, r.departure, r.lat, r.lon, r.accuracy_m
    FROM (${heads}) told
    CROSS JOIN LATERAL (
      SELECT arrival, departure, lat, lon, accuracy_m FROM visit_reports
      WHERE user_id = ${userId} AND device_id = told.device_id AND arrival = told.arrival
      UNION ALL
      SELECT arrival, departure, lat, lon, accuracy_m FROM visit_reports
      WHERE user_id = ${userId} AND device_id = told.device_id AND arrival IS NULL
        AND departure >= told.arrival AND departure < coalesce(told.next_arrival, 'infinity')
    ) r
    ORDER BY told.arrival DESC, told.device_id COLLATE "C"`

/**
 * SQL: `shared_from` or `shared_until` of the device. The fixes that an imported file shares with other devices lie
 * between these two times. Both times are null for a phone. So for a phone the queries below read no fixes of other
 * devices, and for a file no fixes outside of this span. The result is also null for a file that brought nothing new.
 * With another result, the last stay of this file would never end, because its `history_ends_at` is null (decision
 * imports-2).
 */
const sharedTime = (sql: SqlClient, column: "shared_from" | "shared_until", userId: UserId, deviceId: DeviceId) =>
  sql`(SELECT ${sql(column)} FROM devices WHERE user_id = ${userId} AND device_id = ${deviceId}
         AND history_ends_at IS NOT NULL)`

/** Selects the time of a device's last fix before a moment. */
export const heardBeforeStatement = (sql: SqlClient, userId: UserId, deviceId: DeviceId, at: Timestamp.Timestamp) =>
  sql`SELECT captured_at FROM (
        (SELECT captured_at FROM fixes
         WHERE user_id = ${userId} AND device_id = ${deviceId} AND captured_at < ${Rows.at(at)}
         ORDER BY captured_at DESC LIMIT 1)
        UNION ALL
        (SELECT captured_at FROM fixes
         WHERE user_id = ${userId} AND ${deviceId} = ANY(also_from) AND captured_at < ${Rows.at(at)}
           AND captured_at >= ${sharedTime(sql, "shared_from", userId, deviceId)}
           AND captured_at <= ${sharedTime(sql, "shared_until", userId, deviceId)}
         ORDER BY captured_at DESC LIMIT 1)
      ) heard ORDER BY captured_at DESC LIMIT 1`

/** Selects the fixes from which stays are derived, in the order of `Fix.byCapture`. */
export const dueStatement = (
  sql: SqlClient,
  userId: UserId,
  deviceId: DeviceId,
  from: Timestamp.Timestamp,
  limit: number
) => {
  const earliest = sql`ORDER BY captured_at, accuracy_m NULLS LAST, lat, lon LIMIT ${limit}`
  return sql`SELECT captured_at, lat, lon, accuracy_m, left_behind FROM (
        (SELECT captured_at, lat, lon, accuracy_m, left_behind FROM fixes
         WHERE user_id = ${userId} AND device_id = ${deviceId} AND captured_at >= ${Rows.at(from)}
         ${earliest})
        UNION ALL
        (SELECT captured_at, lat, lon, accuracy_m, left_behind FROM fixes
         WHERE user_id = ${userId} AND ${deviceId} = ANY(also_from) AND captured_at >= ${Rows.at(from)}
           AND captured_at <= ${sharedTime(sql, "shared_until", userId, deviceId)}
         ${earliest})
      ) due ${earliest}`
}
