import type { PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Circle } from "./Geometry.js"
import type { Place } from "./Place.js"

/**
 * A circle that a place had, from a moment on. Moving a place starts a new shape, so that what was asked about the past is
 * answered with the circle of that time: a move neither rewrites history nor reveals any.
 */
export interface Shape {
  readonly placeId: PlaceId
  readonly geometryVersion: number
  /** Null from ever: the first circle of a place. */
  readonly validFrom: Timestamp | null
  readonly circle: Circle
}

/** The place as it is from `validFrom` on; null: as it always was. */
export const of = (place: Place, validFrom: Timestamp | null): Shape => ({
  placeId: place.id,
  geometryVersion: place.geometryVersion,
  validFrom,
  circle: place.circle
})

/** The shape in force at `at`, of one place's shapes in the order of their versions. */
export const validAt = (shapes: ReadonlyArray<Shape>, at: Timestamp): Shape | undefined =>
  shapes.findLast(({ validFrom }) => validFrom === null || validFrom <= at)
