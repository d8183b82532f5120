import * as Fix from "../fixes/Fix.js"
import type { Point } from "../places/Geometry.js"
import type { Timestamp } from "../shared/Timestamp.js"

/**
 * A stay as the phone's operating system told it: arrival, departure or both. Never a fix and never evaluated by rules
 * (decision L10). Visits are made of these.
 */
export interface VisitReport extends Point {
  readonly arrival: Timestamp | null
  readonly departure: Timestamp | null
  readonly accuracyM: number | null
}

export type Judged =
  | { readonly _tag: "Visit"; readonly visit: VisitReport }
  | { readonly _tag: "Quarantined"; readonly visit: VisitReport; readonly reason: Fix.QuarantineReason }

/** Decides what becomes of a report at its arrival, by the rules for fixes. One without any time is no stay. */
export const judge = (visit: VisitReport, receivedAt: Timestamp): Judged => {
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

/** The same text for the same report of one device: the idempotency key. */
export const key = (visit: VisitReport): string =>
  `visit ${visit.arrival ?? ""} ${visit.departure ?? ""} ${visit.lat} ${visit.lon}`
