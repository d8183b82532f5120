import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import type { PlaceId } from "../shared/Ids.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { Candidate } from "./OsVisit.js"
import type { DeviceStay } from "./VisitStore.js"

/**
 * Places whose circles overlap show one stop twice: a stay for each. Which of them an app is told is decided here, over the places that
 * the app knows, so that others make no difference (amendment M15).
 */

/** For each place those whose circles, at any time, have a part in common with its own. Others never need to be compared. */
export const neighbours = (candidates: ReadonlyArray<Candidate>): ReadonlyMap<PlaceId, ReadonlyArray<Candidate>> =>
  new Map(
    candidates.flatMap((one) => {
      const near = candidates.filter((other) => other.placeId !== one.placeId && haveOverlapped(one, other))
      return near.length === 0 ? [] : [[one.placeId, near] as const]
    })
  )

const haveOverlapped = (one: Candidate, other: Candidate): boolean =>
  one.shapes.some(({ circle }) =>
    other.shapes.some((shape) => Geometry.distanceM(circle, shape.circle) < circle.radiusM + shape.circle.radiusM)
  )

/** The circle that a stay began with. */
export const circleOf = (
  { arrival, placeId }: Pick<DeviceStay, "arrival" | "placeId">,
  candidates: ReadonlyArray<Candidate>
): Geometry.Circle | undefined => {
  const shapes = candidates.find((one) => one.placeId === placeId)?.shapes ?? []
  return Shape.validAt(shapes, arrival)?.circle
}

/** A stay with its circle and the median of its fixes; without one the fixes are not kept any more. */
export interface Located extends DeviceStay {
  readonly circle: Geometry.Circle
  readonly median: Geometry.Point | null
}

export const overlap = (
  a: Pick<DeviceStay, "arrival" | "departure">,
  b: Pick<DeviceStay, "arrival" | "departure">
): boolean => a.arrival < (b.departure ?? Infinity) && b.arrival < (a.departure ?? Infinity)

/**
 * Where a stay ends that went on only because the fixes of the next one lie within the band of its edge: when the first stay began later
 * whose median is not decisively inside.
 */
export const endOf = (stay: Located, others: ReadonlyArray<Located>): Timestamp | null =>
  others.reduce<Timestamp | null>((end, other) => {
    const isElsewhere =
      other.arrival > stay.arrival &&
      overlap(stay, other) &&
      other.median !== null &&
      Geometry.sideOf(stay.circle, other.median, null) !== "inside"
    return isElsewhere && (end === null || other.arrival < end) ? other.arrival : end
  }, stay.departure)

/**
 * Whether one of the others tells the stop instead: the median of this stay lies in its circle, too, and it is nearer to its own centre
 * than this one is; of equal distances the smaller circle, then by id. The nearest of all is always told.
 */
export const isToldElsewhere = (stay: Located, others: ReadonlyArray<Located>): boolean =>
  stay.median !== null &&
  others.some(
    (other) =>
      other.median !== null &&
      stay.median !== null &&
      overlap(stay, other) &&
      Geometry.distanceM(other.circle, stay.median) <= other.circle.radiusM &&
      isNearer(other, other.median, stay, stay.median)
  )

const isNearer = (a: Located, atA: Geometry.Point, b: Located, atB: Geometry.Point): boolean => {
  // To a centimetre: coordinates are kept no finer.
  const [toA, toB] = [centimetres(a.circle, atA), centimetres(b.circle, atB)]
  if (toA !== toB) return toA < toB
  if (a.circle.radiusM !== b.circle.radiusM) return a.circle.radiusM < b.circle.radiusM
  return a.placeId < b.placeId
}

const centimetres = (circle: Geometry.Circle, at: Geometry.Point): number =>
  Math.round(Geometry.distanceM(circle, at) * 100)
