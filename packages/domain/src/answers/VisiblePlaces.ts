import type { Connection } from "../connection/Connection.js"
import * as Geometry from "../places/Geometry.js"
import type { Place } from "../places/Place.js"

/**
 * Of all the user's places those that an app may know of, in the order in which they came. Every other place must make no
 * difference to any answer (Spec §1.2): decisions are given nothing else.
 */
export const shared = (connection: Pick<Connection, "places">, own: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const ids = new Set(connection.places.map(({ placeId }) => placeId))
  return own.filter(({ id }) => ids.has(id))
}

/** Those that can be asked about now: an archived one stopped matching (Spec §4.5, visits rule 5). */
export const current = (connection: Pick<Connection, "places">, own: ReadonlyArray<Place>): ReadonlyArray<Place> =>
  shared(connection, own).filter(({ archivedAt }) => archivedAt === null)

/** A place with the circle that counts for the question. */
export interface Candidate {
  readonly place: Place
  readonly circle: Geometry.Circle
}

/** Of several that contain a point: the smallest, then the one with the nearest centre, then by id (decision L9). */
export const best = (containing: ReadonlyArray<Candidate>, point: Geometry.Point): Place | undefined => {
  const [first, ...others] = containing
  if (others.length === 0) return first?.place
  const ranked = containing.map((candidate) => ({ ...candidate, awayM: Geometry.distanceM(candidate.circle, point) }))
  ranked.sort((a, b) => a.circle.radiusM - b.circle.radiusM || a.awayM - b.awayM || (a.place.id < b.place.id ? -1 : 1))
  return ranked[0]?.place
}
