import type { Fix } from "../fixes/Fix.js"
import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import type { PlaceId } from "../shared/Ids.js"
import { MINUTE, type Timestamp } from "../shared/Timestamp.js"

/**
 * Time at a place as a device's fixes tell it (decision L10): from the first one inside to the first one outside that is not taken back
 * within `ABSENCE`.
 */
export interface Stay {
  readonly placeId: PlaceId
  readonly arrival: Timestamp
  /** Null while nothing decisive came from outside. */
  readonly departure: Timestamp | null
}

/** What a stay needs of a fix. */
export type Sighting = Pick<Fix, "capturedAt" | "lat" | "lon" | "accuracyM">

/** What stays at a place are derived from, apart from fixes. */
export interface Ground {
  readonly placeId: PlaceId
  /** In the order of their versions. */
  readonly shapes: ReadonlyArray<Shape.Shape>
  readonly archivedAt: Timestamp | null
}

/** Shorter ones are derived and kept, because the next fix may lengthen them, but nobody is told. */
export const MIN_STAY = 5 * MINUTE

/**
 * Who is back in the circle sooner was never away (amendment M15): one jump of a fix does not split a visit. A stay that ended so long
 * before a moment is as final as the fixes before that moment.
 */
export const ABSENCE = 2 * MINUTE

/** Whether it counts as a visit; one that is still open is measured until now. */
export const isLongEnough = ({ arrival, departure }: Pick<Stay, "arrival" | "departure">, now: Timestamp): boolean =>
  (departure ?? now) - arrival >= MIN_STAY

/**
 * The stays at one place over a device's fixes in the order of `Fix.byCapture`; of one instant the first fix counts. They go on
 * from a stay that is open (`openSince`) when the first of the fixes is taken. A plain function of its arguments: derived at
 * once or piece by piece, the stays are the same.
 *
 * A stay keeps the circle that it began with, also when the place is moved or archived meanwhile. Fixes within the band of the
 * edge and silence change nothing, and neither does an absence shorter than `ABSENCE`: to go on from a moment, give the fixes from
 * `ABSENCE` before it on.
 */
export const derive = (
  { archivedAt, placeId, shapes }: Ground,
  openSince: Timestamp | null,
  fixes: Iterable<Sighting>
): ReadonlyArray<Stay> => {
  const stays: Array<Stay> = []
  let arrival = openSince
  let circle = openSince === null ? undefined : Shape.validAt(shapes, openSince)?.circle
  /** The stay that ended last may go on, while nothing began since. */
  let left: { readonly arrival: Timestamp; readonly circle: Geometry.Circle; readonly at: Timestamp } | undefined
  let instant = Number.NEGATIVE_INFINITY
  for (const fix of fixes) {
    const { accuracyM, capturedAt } = fix
    if (capturedAt === instant) continue
    instant = capturedAt
    if (arrival !== null && circle !== undefined) {
      if (Geometry.sideOf(circle, fix, accuracyM) !== "outside") continue
      stays.push({ placeId, arrival, departure: capturedAt })
      left = { arrival, circle, at: capturedAt }
      arrival = null
    }
    if (left !== undefined && capturedAt - left.at >= ABSENCE) left = undefined
    if (left !== undefined && Geometry.sideOf(left.circle, fix, accuracyM) === "inside") {
      stays.pop()
      ;({ arrival, circle } = left)
      left = undefined
      continue
    }
    if (archivedAt !== null && capturedAt > archivedAt) continue
    const shape = Shape.validAt(shapes, capturedAt)
    if (shape !== undefined && Geometry.sideOf(shape.circle, fix, accuracyM) === "inside") {
      arrival = capturedAt
      circle = shape.circle
      left = undefined
    }
  }
  if (arrival !== null) stays.push({ placeId, arrival, departure: null })
  return stays
}
