// Decides which places an app may know. Decisions answers-1 and answers-2.
import type { Connection } from "../connection/Connection.js"
import * as Geometry from "../places/Geometry.js"
import type { Place } from "../places/Place.js"

/**
 * The user's places that are shared with the app, archived places included. Answers to the app must depend on these
 * places only. Otherwise an answer could reveal a place that the user did not share (Spec §1.2).
 */
export const shared = (connection: Pick<Connection, "places">, own: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const ids = new Set(connection.places.map(({ placeId }) => placeId))
  return own.filter(({ id }) => ids.has(id))
}

/** The places that the app can ask about now: the shared places that are not archived (Spec §4.5, visits rule 5). */
export const current = (connection: Pick<Connection, "places">, own: ReadonlyArray<Place>): ReadonlyArray<Place> =>
  shared(connection, own).filter(({ archivedAt }) => archivedAt === null)

/** A place with the circle that a point was compared with: the place's present circle, or an earlier one. */
export interface VisiblePlaceCandidate {
  readonly place: Place
  readonly circle: Geometry.Circle
}

/**
 * The best of the places that contain a point: the smallest place. Of places with the same radius, the place with the
 * nearest centre is the best, then the place with the smallest id (decision L9). Undefined when `containing` is empty.
 */
export const best = (containing: ReadonlyArray<VisiblePlaceCandidate>, point: Geometry.Point): Place | undefined => {
  const [first, ...others] = containing
  if (others.length === 0) return first?.place
  const ranked = containing.map((candidate) => ({ ...candidate, awayM: Geometry.distanceM(candidate.circle, point) }))
  ranked.sort((a, b) => a.circle.radiusM - b.circle.radiusM || a.awayM - b.awayM || (a.place.id < b.place.id ? -1 : 1))
  return ranked[0]?.place
}
