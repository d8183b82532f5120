// Computes visits from the reports of phones' operating systems. Decisions visits-1 and visits-2.
import { Order } from "effect"
import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import * as Erasure from "../retention-choice/Erasure.js"
import type { DeviceId, PlaceId, Timestamp } from "../shared/index.js"
import { DAY } from "../shared/Timestamp.js"
import type { Ground } from "./Stay.js"
import type { VisitReport } from "../fixes/VisitReport.js"

/**
 * To find visits that began before a span and last into it, the store reads the arrivals in a time of this length
 * before the span, in milliseconds. Reading only the last arrival before the span is not enough: a phone may report one
 * arrival twice, with slightly different times, and the departure with only one of these reports.
 */
export const LONGEST = 30 * DAY

/**
 * A phone's reports of one arrival, and the other facts that may end the visit. `decide` gives the same result for any
 * order of the reports, and however the phone divided them into uploads.
 */
export interface VisitReports {
  readonly deviceId: DeviceId
  /** When the device last sent something new to the service (`Companion.lastSeenAt`); null: never. */
  readonly heardAt: Timestamp.Timestamp | null
  /**
   * The time of the newest stored entry, for the device of an imported file. Null for a phone, which goes on reporting.
   */
  readonly historyEndsAt: Timestamp.Timestamp | null
  readonly arrival: Timestamp.Timestamp
  /** The time of the device's next arrival; null: the device has reported no later arrival. */
  readonly nextArrival: Timestamp.Timestamp | null
  /** The reports whose arrival is `arrival`, at least one. */
  readonly reports: ReadonlyArray<VisitReport>
  /** The reports that have only a departure, at `arrival` or later and before `nextArrival`. */
  readonly departures: ReadonlyArray<VisitReport>
}

/**
 * A visit at any position, whether or not the user has a place at this position. Visits are matched with places when an
 * app asks (Spec §4.5). Device and arrival identify the visit.
 */
export interface OsVisit extends Geometry.Point {
  readonly deviceId: DeviceId
  readonly arrival: Timestamp.Timestamp
  readonly departure: Timestamp.Timestamp | null
  readonly accuracyM: number | null
  /**
   * Whether the phone reported the departure. False: the visit may end earlier, at the end of a derived stay. That is
   * so even when the visit ends at a stretch of history that the user deleted.
   */
  readonly isLeft: boolean
}

/**
 * The visit that these reports describe, at the position of the most accurate report. Undefined without reports. The
 * visit ends at the first of these times that exists:
 * - the latest departure that was reported together with the arrival
 * - the latest departure that was reported alone, from the same stop
 * - the phone's next arrival
 * - the end of the imported file
 *
 * If none of these times exists, the visit is open. A deleted stretch of history ends the visit earlier.
 */
export const decide = (
  { arrival, departures, deviceId, historyEndsAt, nextArrival, reports }: VisitReports,
  erasures: ReadonlyArray<Erasure.Stretch> = []
): OsVisit | undefined => {
  const best = [...reports].sort(byAccuracy)[0]
  if (best === undefined) return undefined
  const { accuracyM, lat, lon } = best
  const from = departures.filter((report) => isSameStop(report, best))
  const left = latestDeparture(reports) ?? latestDeparture(from)
  const departure = left ?? nextArrival ?? historyEndsAt
  const cutOff = Erasure.cutOff({ arrival, departure }, erasures)
  return {
    deviceId,
    arrival,
    departure: cutOff ?? departure,
    isLeft: left !== null,
    lat,
    lon,
    accuracyM
  }
}

const byAccuracy = (a: VisitReport, b: VisitReport): number => errorM(a) - errorM(b) || a.lat - b.lat || a.lon - b.lon

const latestDeparture = (reports: ReadonlyArray<VisitReport>): Timestamp.Timestamp | null =>
  reports.reduce<Timestamp.Timestamp | null>(
    (latest, { departure }) => (departure !== null && (latest === null || departure > latest) ? departure : latest),
    null
  )

/**
 * Two reports describe one stop when they are at most this far apart, in metres. For less accurate reports, the maximum
 * distance is the sum of their accuracies, if this sum is larger.
 */
const SAME_STOP_M = 200

const errorM = ({ accuracyM }: Pick<OsVisit, "accuracyM">): number => accuracyM ?? Geometry.MIN_BAND_M

const isSameStop = (a: VisitReport, b: VisitReport): boolean =>
  Geometry.distanceM(a, b) <= Math.max(SAME_STOP_M, errorM(a) + errorM(b))

/** A place where the app may see visits. */
export interface VisitCandidate extends Ground {
  /** The app sees no visit whose arrival is before this time; null: it sees all visits. */
  readonly since: Timestamp.Timestamp | null
}

/**
 * The place of the visit, as the app sees it (amendment M15): of the places that the app knows, the place whose circle
 * at the time of the arrival contains the reported position. The accuracy counts as for a fix, so a report that is less
 * precise than the circle has no place. Of several places, the place with the nearest centre is chosen; of equally near
 * places, the place with the smallest radius, then the smallest id.
 */
export const placeOf = (visit: OsVisit, candidates: ReadonlyArray<VisitCandidate>): PlaceId | undefined =>
  candidates
    .flatMap(({ archivedAt, placeId, shapes, since }) => {
      if ((since !== null && visit.arrival < since) || (archivedAt !== null && visit.arrival > archivedAt)) return []
      const circle = Shape.validAt(shapes, visit.arrival)?.circle
      return circle !== undefined && Geometry.sideOf(circle, visit, visit.accuracyM) === "inside"
        ? [{ placeId, radiusM: circle.radiusM, distanceM: Geometry.distanceM(circle, visit) }]
        : []
    })
    .sort((a, b) => a.distanceM - b.distanceM || a.radiusM - b.radiusM || Order.string(a.placeId, b.placeId))[0]
    ?.placeId
