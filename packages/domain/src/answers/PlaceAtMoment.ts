// Decides at which place the user was at a moment (decision answers-4).
import * as Nearest from "../fixes/Nearest.js"
import * as Geometry from "../places/Geometry.js"
import * as Place from "../places/Place.js"
import * as Shape from "../places/Shape.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { best, type VisiblePlaceCandidate } from "./VisiblePlaces.js"

/**
 * Where the user was at the moment that the app asked about (Spec §2.5). `asOf` is the time of the fix that decided,
 * and `deltaSeconds` the time between that fix and the moment. All three fields are null when no fix was near enough in
 * time, and while the app is paused. Only `place` is null when the fix was at none of the places that are shared with
 * the app.
 */
export interface PlaceAtMoment {
  readonly place: Place.PlaceRef | null
  readonly asOf: Timestamp | null
  readonly deltaSeconds: number | null
}

export const UNKNOWN: PlaceAtMoment = { place: null, asOf: null, deltaSeconds: null }

/**
 * The place of the user at the time of the nearest fix: the place whose circle contained this fix at that time
 * (decision L9). Unlike `Presence`, this decision ignores the fix's accuracy, so even a fix near the edge of the circle
 * decides. `shapes` has all circles that the user's places have had (`Shape`); the circles of one place are in the
 * order of their versions. A place that was archived before the fix does not match.
 */
export const decide = (
  places: ReadonlyArray<Place.Place>,
  shapes: ReadonlyArray<Shape.Shape>,
  nearest: Nearest.Nearest | undefined
): PlaceAtMoment => {
  if (nearest === undefined) return UNKNOWN
  const { fix } = nearest
  const containing = places.flatMap((place): ReadonlyArray<VisiblePlaceCandidate> => {
    const own = shapes.filter(({ placeId }) => placeId === place.id)
    const shape = Shape.validAt(own, fix.capturedAt)
    return shape !== undefined &&
      (place.archivedAt === null || fix.capturedAt <= place.archivedAt) &&
      Geometry.distanceM(shape.circle, fix) <= shape.circle.radiusM
      ? [{ place, circle: shape.circle }]
      : []
  })
  const place = best(containing, fix)
  return {
    place: place === undefined ? null : Place.ref(place),
    asOf: fix.capturedAt,
    deltaSeconds: Nearest.deltaSeconds(nearest)
  }
}
