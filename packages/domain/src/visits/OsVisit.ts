// Visits that phones' operating systems report. Decisions visits-1 and visits-2.
import { Order } from "effect"
import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import * as Erasure from "../retention-choice/Erasure.js"
import type { DeviceId, PlaceId, Timestamp } from "../shared/index.js"
import { DAY } from "../shared/Timestamp.js"
import type { Ground } from "./Stay.js"
import type { VisitReport } from "../fixes/VisitReport.js"

/**
 * Milliseconds. To find the visits that reach into a span, the store also reads arrivals up to this long before the
 * span. The last arrival before the span is not enough: a phone may report the same arrival again with a slightly
 * different time, and the departure with only one of these reports.
 */
export const LONGEST = 30 * DAY

/**
 * A phone's reports of one arrival, and the facts that may end the visit. The result of `decide` depends neither on the
 * order of the reports nor on the uploads in which they came.
 */
export interface VisitReports {
  readonly deviceId: DeviceId
  /** When the device last sent anything; null: never. */
  readonly heardAt: Timestamp.Timestamp | null
  /** The time of the newest stored entry of an imported file. Null for a phone, which goes on reporting. */
  readonly historyEndsAt: Timestamp.Timestamp | null
  readonly arrival: Timestamp.Timestamp
  /** The device's next arrival; null: none yet. */
  readonly nextArrival: Timestamp.Timestamp | null
  /** The reports with this arrival; at least one. */
  readonly reports: ReadonlyArray<VisitReport>
  /** The reports without an arrival whose departure is at `arrival` or later, and before `nextArrival`. */
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
   * Whether the departure is certain: the phone reported it, or a deleted stretch cut the visit off. False also for an
   * open visit.
   */
  readonly isLeft: boolean
}

/**
 * The visit that these reports describe, at the position of the most accurate report. Its end is the first of these
 * that exists: the latest departure reported together with the arrival; the latest departure reported alone from the
 * same stop; the phone's next arrival; the end of the imported file. Without any of them the visit is open. A deleted
 * stretch ends the visit earlier. Undefined without reports.
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
    isLeft: left !== null || cutOff !== null,
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
 * Metres. Two reports describe one stop when they are at most this far from each other, or at most as far as their
 * accuracies together.
 */
const SAME_STOP_M = 200

const errorM = ({ accuracyM }: Pick<OsVisit, "accuracyM">): number => accuracyM ?? Geometry.MIN_BAND_M

const isSameStop = (a: VisitReport, b: VisitReport): boolean =>
  Geometry.distanceM(a, b) <= Math.max(SAME_STOP_M, errorM(a) + errorM(b))

/** A place where the app may see visits. */
export interface VisitCandidate extends Ground {
  /** Visits that arrived earlier than this are not shown to the app; null: all are shown. */
  readonly since: Timestamp.Timestamp | null
}

/**
 * The place of the visit, as the app sees it (amendment M15): of the places that the app knows, the place whose circle
 * at the time of the arrival contains the reported position. The position is judged by its accuracy like a fix, so a
 * report that is less precise than the circle decides nothing. Of several places, the one with the nearest centre
 * counts, then the smallest radius, then the smallest id.
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
