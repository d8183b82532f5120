// How stays are derived from fixes. Decisions visits-3, visits-4 and visits-5.
import type { Fix } from "../fixes/Fix.js"
import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import type * as Erasure from "../retention-choice/Erasure.js"
import type { PlaceId } from "../shared/Ids.js"
import { MINUTE, type Timestamp } from "../shared/Timestamp.js"

/** A device's time at a place (decision L10): from its first fix inside to the first of an absence of `ABSENCE`. */
export interface Stay {
  readonly placeId: PlaceId
  readonly arrival: Timestamp
  /** The first decisive fix outside; null before there is one. */
  readonly departure: Timestamp | null
}

/** The fields of a fix that the derivation needs. */
export type StayFix = Pick<Fix, "capturedAt" | "lat" | "lon" | "accuracyM">

/** The fields of a place that the derivation needs. */
export interface Ground {
  readonly placeId: PlaceId
  /** In the order of their versions. */
  readonly shapes: ReadonlyArray<Shape.Shape>
  readonly archivedAt: Timestamp | null
}

/** Shorter stays are stored, because the next fix may make them longer, but no app sees them. */
export const MIN_STAY = 5 * MINUTE

/**
 * A shorter absence does not end a stay (amendment M15), so that one wrong fix does not split a visit. A stay that
 * ended this long before the last known fix is final.
 */
export const ABSENCE = 2 * MINUTE

/** Whether a stay is long enough to be a visit. An open stay is measured until `now`. */
export const isLongEnough = ({ arrival, departure }: Pick<Stay, "arrival" | "departure">, now: Timestamp): boolean =>
  (departure ?? now) - arrival >= MIN_STAY

/**
 * The stays at one place. `fixes` are those of one device in the order of `Fix.byCapture`; of one instant the first fix
 * counts. With `openSince`, the first stay continues one that was open before. The result does not depend on whether
 * the fixes are given at once or in pieces.
 *
 * A stay keeps the circle with which it began, even when the place is moved or archived. Fixes near the edge, silence,
 * and an absence shorter than `ABSENCE` change nothing. To continue from a moment, give the fixes from `ABSENCE` before
 * that moment.
 *
 * A deleted stretch ends a stay at its beginning, and none goes on through it: nobody knows any more where the device
 * was. `erasures` are in order of time.
 */
export const derive = (
  { archivedAt, placeId, shapes }: Ground,
  openSince: Timestamp | null,
  fixes: Iterable<StayFix>,
  erasures: ReadonlyArray<Erasure.Stretch> = []
): ReadonlyArray<Stay> => {
  const stays: Array<Stay> = []
  let arrival = openSince
  let circle = openSince === null ? undefined : Shape.validAt(shapes, openSince)?.circle
  /** The last stay that ended. It goes on if the device comes back within `ABSENCE`. */
  let left: { readonly arrival: Timestamp; readonly circle: Geometry.Circle; readonly at: Timestamp } | undefined
  let instant = Number.NEGATIVE_INFINITY
  let next = 0
  /** Applies the deleted stretches that begin before this moment. */
  const eraseBefore = (at: number) => {
    for (let one = erasures[next]; one !== undefined && one.from < at; one = erasures[++next]) {
      if (left !== undefined && one.from >= left.at) left = undefined
      if (arrival === null || one.from <= arrival) continue
      stays.push({ placeId, arrival, departure: one.from })
      arrival = null
      left = undefined
    }
  }
  for (const fix of fixes) {
    const { accuracyM, capturedAt } = fix
    if (capturedAt === instant) continue
    instant = capturedAt
    eraseBefore(capturedAt)
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
  eraseBefore(Number.POSITIVE_INFINITY)
  if (arrival !== null) stays.push({ placeId, arrival, departure: null })
  return stays
}
