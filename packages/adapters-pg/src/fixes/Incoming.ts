import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fix } from "@place-access/domain/fixes"
import { VisitReport } from "@place-access/domain/fixes"
import * as Rows from "../driver/Rows.js"
import type { FixRow } from "./UploadRows.js"

/** A table expression for a statement: the new fixes of uploads as the table `fix`. */
export const fixTable = (sql: SqlClient, rows: ReadonlyArray<FixRow>) =>
  sql`unnest(${rows.map(({ deviceId }) => deviceId)}::text[],
             ${rows.map(({ fix }) => Rows.at(fix.capturedAt))}::timestamptz[],
             ${rows.map(({ fix }) => fix.lat)}::float8[],
             ${rows.map(({ fix }) => fix.lon)}::float8[],
             ${rows.map(({ fix }) => fix.accuracyM)}::float8[],
             ${rows.map(({ fix }) => fix.altitudeM)}::float8[],
             ${rows.map(({ fix }) => fix.speedMps)}::float8[],
             ${rows.map(({ fix }) => fix.courseDeg)}::float8[],
             ${rows.map(({ receivedAt }) => Rows.at(receivedAt))}::timestamptz[],
             ${rows.map(({ isLeftBehind }) => isLeftBehind)}::boolean[])
        AS fix (device_id, captured_at, lat, lon, accuracy_m, altitude_m, speed_mps, course_deg, received_at,
                left_behind)`

/**
 * A table expression for a statement: the fixes of an import as the table `fix`. All columns are lists of numbers that
 * `Rows.numbers` writes. Lists of ISO 8601 timestamps that the driver writes would take twice the time, in this process
 * and in the database.
 */
export const numberedFixTable = (sql: SqlClient, fixes: ReadonlyArray<Fix.MarkedFix>) =>
  sql`(SELECT to_timestamp(given.captured_ms / 1000) AS captured_at, given.mark = 1 AS left_behind, given.*
       FROM unnest(${Rows.numbers(fixes, (fix) => fix.capturedAt)}::float8[],
             ${Rows.numbers(fixes, (fix) => fix.lat)}::float8[],
             ${Rows.numbers(fixes, (fix) => fix.lon)}::float8[],
             ${Rows.numbers(fixes, (fix) => fix.accuracyM)}::float8[],
             ${Rows.numbers(fixes, (fix) => fix.altitudeM)}::float8[],
             ${Rows.numbers(fixes, (fix) => fix.speedMps)}::float8[],
             ${Rows.numbers(fixes, (fix) => fix.courseDeg)}::float8[],
             ${Rows.numbers(fixes, (fix) => (fix.isLeftBehind === true ? 1 : 0))}::float8[])
         AS given (captured_ms, lat, lon, accuracy_m, altitude_m, speed_mps, course_deg, mark)) fix`

/** A table expression for a statement: new visit reports as the table `visit`. */
export const visitTable = (sql: SqlClient, visits: ReadonlyArray<VisitReport.VisitReport>) =>
  sql`unnest(${visits.map(VisitReport.key)}::text[],
             ${visits.map((visit) => Rows.nullableAt(visit.arrival))}::timestamptz[],
             ${visits.map((visit) => Rows.nullableAt(visit.departure))}::timestamptz[],
             ${visits.map((visit) => visit.lat)}::float8[],
             ${visits.map((visit) => visit.lon)}::float8[],
             ${visits.map((visit) => visit.accuracyM)}::float8[])
        AS visit (report_key, arrival, departure, lat, lon, accuracy_m)`
