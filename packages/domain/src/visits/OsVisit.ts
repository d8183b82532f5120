import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import type { DeviceId, PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Ground } from "./Stay.js"
import type { VisitReport } from "./VisitReport.js"

/**
 * What one phone's operating system said about a visit: every report of one arrival, and what may end it. A device's reports
 * fall into these in one way, in whatever order and pieces they came.
 */
export interface Told {
  readonly deviceId: DeviceId
  /** When the device last sent anything. */
  readonly heardAt: Timestamp | null
  /** An imported file's newest entry that is stored; null: a phone, which goes on. */
  readonly historyEndsAt: Timestamp | null
  readonly arrival: Timestamp
  /** The device's next arrival; null when there is none yet. */
  readonly nextArrival: Timestamp | null
  /** With this arrival; at least one. */
  readonly reports: ReadonlyArray<VisitReport>
  /** Without an arrival, departing from `arrival` until before `nextArrival`. */
  readonly departures: ReadonlyArray<VisitReport>
}

/** A visit wherever it was; matched with places when it is asked for (Spec §4.5). Keyed by device and arrival. */
export interface OsVisit extends Geometry.Point {
  readonly deviceId: DeviceId
  readonly arrival: Timestamp
  readonly departure: Timestamp | null
  readonly accuracyM: number | null
  /** The phone told when it left; else the departure is what else ended the visit, or null. */
  readonly isLeft: boolean
}

/** Earliest first. A departure before every arrival is held: when that visit began is not known. */
export const tell = (
  { heardAt, historyEndsAt, id }: { readonly id: DeviceId } & Pick<Told, "heardAt" | "historyEndsAt">,
  reports: ReadonlyArray<VisitReport>
): ReadonlyArray<Told> => {
  const arrivals = [...new Set(reports.flatMap(({ arrival }) => (arrival === null ? [] : [arrival])))].sort(
    (a, b) => a - b
  )
  return arrivals.map((arrival, index) => {
    const nextArrival = arrivals[index + 1] ?? null
    return {
      deviceId: id,
      heardAt,
      historyEndsAt,
      arrival,
      nextArrival,
      reports: reports.filter((report) => report.arrival === arrival),
      departures: reports.filter(
        (report) =>
          report.arrival === null &&
          report.departure !== null &&
          report.departure >= arrival &&
          (nextArrival === null || report.departure < nextArrival)
      )
    }
  })
}

/**
 * The visit that was told. It is where its most accurate report says. It ended at the latest departure told with its arrival;
 * else at the latest told by itself from there; else when the phone arrived somewhere else; else
 * with the file that tells of it; else it is open.
 */
export const decide = ({
  arrival,
  departures,
  deviceId,
  historyEndsAt,
  nextArrival,
  reports
}: Told): OsVisit | undefined => {
  const best = [...reports].sort(byAccuracy)[0]
  if (best === undefined) return undefined
  const { accuracyM, lat, lon } = best
  const from = departures.filter((report) => isSameStop(report, best))
  const left = latestDeparture(reports) ?? latestDeparture(from)
  return {
    deviceId,
    arrival,
    departure: left ?? nextArrival ?? historyEndsAt,
    isLeft: left !== null,
    lat,
    lon,
    accuracyM
  }
}

const byAccuracy = (a: VisitReport, b: VisitReport): number => errorM(a) - errorM(b) || a.lat - b.lat || a.lon - b.lon

const latestDeparture = (reports: ReadonlyArray<VisitReport>): Timestamp | null =>
  reports.reduce<Timestamp | null>(
    (latest, { departure }) => (departure !== null && (latest === null || departure > latest) ? departure : latest),
    null
  )

/** Two reports of one stop lie this near to each other, or within what they say they may be wrong by. */
const SAME_STOP_M = 200

const errorM = ({ accuracyM }: Pick<OsVisit, "accuracyM">): number => accuracyM ?? Geometry.MIN_BAND_M

const isSameStop = (a: VisitReport, b: VisitReport): boolean =>
  Geometry.distanceM(a, b) <= Math.max(SAME_STOP_M, errorM(a) + errorM(b))

/** A place that a visit may be told to be at. */
export interface Candidate extends Ground {
  /** Visits from before are not told; null: all are. */
  readonly since: Timestamp | null
}

/**
 * Where the app is told that the visit was: of the places it knows whose circle of that time the report is decisively inside, judged by
 * its accuracy like a fix, the one with the nearest centre, then with the smallest radius, then by id (amendment M15). A report that is
 * less precise than the circle says nothing about it.
 */
export const placeOf = (visit: OsVisit, candidates: ReadonlyArray<Candidate>): PlaceId | undefined =>
  candidates
    .flatMap(({ archivedAt, placeId, shapes, since }) => {
      if ((since !== null && visit.arrival < since) || (archivedAt !== null && visit.arrival > archivedAt)) return []
      const circle = Shape.validAt(shapes, visit.arrival)?.circle
      return circle !== undefined && Geometry.sideOf(circle, visit, visit.accuracyM) === "inside"
        ? [{ placeId, radiusM: circle.radiusM, distanceM: Geometry.distanceM(circle, visit) }]
        : []
    })
    .sort((a, b) => a.distanceM - b.distanceM || a.radiusM - b.radiusM || (a.placeId < b.placeId ? -1 : 1))[0]?.placeId
