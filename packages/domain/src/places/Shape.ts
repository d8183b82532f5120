// Where a place was at which time (decision places-1).
import type { PlaceId, Timestamp } from "../shared/index.js"
import type { Circle } from "./Geometry.js"
import type { Place } from "./Place.js"

/**
 * A circle that a place has had since a moment. Moving a place starts a new shape. Questions about the past use the
 * circle of that time, so moving a place neither changes past answers nor reveals anything about them.
 */
export interface Shape {
  readonly placeId: PlaceId
  readonly geometryVersion: number
  /** Null for a place's first circle, which is valid for all of the past. */
  readonly validFrom: Timestamp.Timestamp | null
  readonly circle: Circle
}

/** The place's circle from `validFrom` on. */
export const of = (place: Place, validFrom: Timestamp.Timestamp | null): Shape => ({
  placeId: place.id,
  geometryVersion: place.geometryVersion,
  validFrom,
  circle: place.circle
})

/** The shape that was valid at `at`. `shapes` are those of one place, ordered by version. */
export const validAt = (shapes: ReadonlyArray<Shape>, at: Timestamp.Timestamp): Shape | undefined =>
  shapes.findLast(({ validFrom }) => validFrom === null || validFrom <= at)
