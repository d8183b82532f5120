import * as Fix from "./Fix.js"
import type { Point } from "../places/Geometry.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { QuarantineReason } from "../devices/QuarantineReason.js"

/**
 * A stop that a phone's system reported: its arrival, its departure or both. A report is no fix: no rule uses it
 * (decision L10).
 */
export interface VisitReport extends Point {
  readonly arrival: Timestamp | null
  readonly departure: Timestamp | null
  readonly accuracyM: number | null
}

export type JudgedReport =
  | { readonly _tag: "Visit"; readonly visit: VisitReport }
  | { readonly _tag: "Quarantined"; readonly visit: VisitReport; readonly reason: QuarantineReason }

/**
 * Decides whether a report is accepted, by the rules for fixes. A report without any time, or with a departure before
 * its arrival, is quarantined.
 */
export const judge = (visit: VisitReport, receivedAt: Timestamp): JudgedReport => {
  const reason =
    Fix.impossiblePlace(visit) ??
    (visit.arrival === null ? undefined : Fix.impossibleTime(visit.arrival, receivedAt)) ??
    (visit.departure === null ? undefined : Fix.impossibleTime(visit.departure, receivedAt)) ??
    (isStay(visit) ? undefined : "no_stay")
  return reason === undefined ? { _tag: "Visit", visit: clean(visit) } : { _tag: "Quarantined", visit, reason }
}

const isStay = ({ arrival, departure }: VisitReport): boolean =>
  arrival === null ? departure !== null : departure === null || departure >= arrival

const clean = (visit: VisitReport): VisitReport => ({
  arrival: visit.arrival,
  departure: visit.departure,
  lat: Fix.toGrid(visit.lat),
  lon: Fix.toGrid(visit.lon),
  accuracyM: Fix.accuracy(visit.accuracyM)
})

/** The idempotency key of a report: a device that sends the same report again adds no second report. */
export const key = (visit: VisitReport): string =>
  `visit ${visit.arrival ?? ""} ${visit.departure ?? ""} ${visit.lat} ${visit.lon}`
