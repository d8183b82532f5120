import { SqlClient } from "@effect/sql/SqlClient"
import { DeviceId, PlaceId, type Timestamp } from "@place-access/domain/shared"
import { type DeviceStay, type OsVisit, VisitStore } from "@place-access/domain/visits"
import { Effect, Layer, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import * as Rows from "../driver/Rows.js"
import {
  endsStatement,
  mediansStatement,
  reportsStatement,
  reportsWithinStatement,
  staysStatement,
  staysWithinStatement
} from "./VisitReads.js"

const StayRow = Schema.Struct({
  place_id: PlaceId,
  device_id: DeviceId,
  arrival: Rows.At,
  departure: Rows.NullableAt,
  uncertain: Schema.Boolean
})

const toStay = ({ arrival, departure, device_id, place_id, uncertain }: typeof StayRow.Type): DeviceStay => ({
  placeId: place_id,
  deviceId: device_id,
  arrival,
  departure,
  isUncertain: uncertain
})

const MedianRow = Schema.Struct({ lat: Schema.NullOr(Schema.Finite), lon: Schema.NullOr(Schema.Finite) })

const EndRow = Schema.Struct({ departure: Rows.NullableAt, uncertain: Schema.Boolean })

/** A row that `reportsOf` selects: one report, with the device and the arrival (`head`) of its visit. */
const ReportRow = Schema.Struct({
  device_id: DeviceId,
  last_seen_at: Rows.NullableAt,
  history_ends_at: Rows.NullableAt,
  head: Rows.At,
  next_arrival: Rows.NullableAt,
  arrival: Rows.NullableAt,
  departure: Rows.NullableAt,
  lat: Schema.Finite,
  lon: Schema.Finite,
  accuracy_m: Schema.NullOr(Schema.Finite)
})

/** Collects the reports of each visit. The rows of one visit must be adjacent. */
const toReports = (rows: ReadonlyArray<typeof ReportRow.Type>): ReadonlyArray<OsVisit.VisitReports> => {
  const visits: Array<{
    readonly deviceId: DeviceId
    readonly heardAt: Timestamp.Timestamp | null
    readonly historyEndsAt: Timestamp.Timestamp | null
    readonly arrival: Timestamp.Timestamp
    readonly nextArrival: Timestamp.Timestamp | null
    readonly reports: Array<OsVisit.VisitReports["reports"][number]>
    readonly departures: Array<OsVisit.VisitReports["departures"][number]>
  }> = []
  for (const row of rows) {
    let one = visits.at(-1)
    if (one?.deviceId !== row.device_id || one.arrival !== row.head) {
      one = {
        deviceId: row.device_id,
        heardAt: row.last_seen_at,
        historyEndsAt: row.history_ends_at,
        arrival: row.head,
        nextArrival: row.next_arrival,
        reports: [],
        departures: []
      }
      visits.push(one)
    }
    const { arrival, departure, lat, lon } = row
    const report = { arrival, departure, lat, lon, accuracyM: row.accuracy_m }
    if (arrival === null) one.departures.push(report)
    else one.reports.push(report)
  }
  return visits
}

export const layer: Layer.Layer<VisitStore, never, SqlClient> = Layer.effect(
  VisitStore,
  Effect.map(SqlClient, (sql) =>
    VisitStore.of({
      stays: (query) =>
        staysStatement(sql, query).pipe(
          Rows.all(StayRow),
          Effect.map((rows) => rows.map(toStay)),
          orStoreError
        ),

      staysWithin: (...args) =>
        staysWithinStatement(sql, args).pipe(
          Rows.all(StayRow),
          Effect.map((rows) => rows.map(toStay)),
          orStoreError
        ),

      medians: (...args) =>
        mediansStatement(sql, args).pipe(
          Rows.all(MedianRow),
          Effect.map((rows) => rows.map(({ lat, lon }) => (lat === null || lon === null ? null : { lat, lon }))),
          orStoreError
        ),

      ends: (...args) =>
        endsStatement(sql, args).pipe(
          Rows.all(EndRow),
          Effect.map((rows) => rows.map(({ departure, uncertain: isUncertain }) => ({ departure, isUncertain }))),
          orStoreError
        ),

      reports: (query) => reportsStatement(sql, query).pipe(Rows.all(ReportRow), Effect.map(toReports), orStoreError),

      reportsWithin: (...args) =>
        reportsWithinStatement(sql, args).pipe(Rows.all(ReportRow), Effect.map(toReports), orStoreError)
    })
  )
)
