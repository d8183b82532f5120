// The circles that a place has had, each with the time from which it was valid (decision places-1).
import type { PlaceId, Timestamp } from "../shared/index.js"
import type { Circle } from "./Geometry.js"
import type { Place } from "./Place.js"

/**
 * A circle of a place, with the time from which it is valid. When the user moves the place or changes its radius, a new
 * shape begins. An answer about a past time uses the circle that was valid at that time. So moving a place changes no
 * answer about the past, and does not reveal when the user was at the new location before the move.
 */
export interface Shape {
  readonly placeId: PlaceId
  readonly geometryVersion: number
  /** Null for a place's first circle, which is valid for all of the past. */
  readonly validFrom: Timestamp.Timestamp | null
  readonly circle: Circle
}

/** The shape of the place's present circle, which is valid from `validFrom` on. */
export const of = (place: Place, validFrom: Timestamp.Timestamp | null): Shape => ({
  placeId: place.id,
  geometryVersion: place.geometryVersion,
  validFrom,
  circle: place.circle
})

/** The shape that was valid at `at`. `shapes` are all shapes of one place, ordered by version. */
export const validAt = (shapes: ReadonlyArray<Shape>, at: Timestamp.Timestamp): Shape | undefined =>
  shapes.findLast(({ validFrom }) => validFrom === null || validFrom <= at)
