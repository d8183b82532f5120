import { Order } from "effect"
import * as Geometry from "../places/Geometry.js"
import * as Shape from "../places/Shape.js"
import type { PlaceId, Timestamp } from "../shared/index.js"
import type { VisitCandidate } from "./OsVisit.js"
import type { DeviceStay } from "./VisitStore.js"

/**
 * When the circles of two places overlap, one stop inside both circles makes a stay at each place. These functions
 * choose the stay that an app sees. They look only at the places that the app knows, so other places do not change an
 * answer (amendment M15).
 */

/**
 * For each stay, the other places with a present or past circle that overlaps the circle with which the stay began.
 * Only stays at these places can represent the same stop. An account may have thousands of past circles. So circles are
 * compared only with the circles of stays, and stays that began with the same circle share one search.
 */
export const neighbours = (
  stays: ReadonlyArray<DeviceStay>,
  candidates: ReadonlyArray<VisitCandidate>
): ReadonlyArray<ReadonlyArray<PlaceId>> => {
  const found = new Map<Shape.Shape, ReadonlyArray<PlaceId>>()
  return stays.map((stay) => {
    const own = shapeOf(stay, candidates)
    if (own === undefined) return []
    const near =
      found.get(own) ??
      candidates.flatMap(({ placeId, shapes }) =>
        placeId !== own.placeId && shapes.some(({ circle }) => isMet(own.circle, circle)) ? [placeId] : []
      )
    found.set(own, near)
    return near
  })
}

/** Whether two circles overlap. Circles that only touch do not overlap. */
export const isMet = (a: Geometry.Circle, b: Geometry.Circle): boolean =>
  Geometry.distanceM(a, b) < a.radiusM + b.radiusM

/** The shape that the stay's place had when the stay began. */
export const shapeOf = (
  { arrival, placeId }: Pick<DeviceStay, "arrival" | "placeId">,
  candidates: ReadonlyArray<VisitCandidate>
): Shape.Shape | undefined => Shape.validAt(candidates.find((one) => one.placeId === placeId)?.shapes ?? [], arrival)

/**
 * A stay, with the circle of its place and the median position of its fixes. `median` is null when the user's history
 * no longer has the fixes.
 */
export interface Located extends DeviceStay {
  readonly circle: Geometry.Circle
  readonly median: Geometry.Point | null
}

export const overlap = (
  a: Pick<DeviceStay, "arrival" | "departure">,
  b: Pick<DeviceStay, "arrival" | "departure">
): boolean => a.arrival < (b.departure ?? Infinity) && b.arrival < (a.departure ?? Infinity)

/**
 * The end of a stay, corrected when the phone had moved on before the derived end. Fixes near the edge of a circle do
 * not end a stay, so a derived stay may last too long. Such a stay ends at the arrival of the first later stay that
 * overlaps it and whose median is not clearly inside the circle of the earlier stay. Null: the stay is open.
 */
export const endOf = (stay: Located, others: ReadonlyArray<Located>): Timestamp.Timestamp | null =>
  others.reduce<Timestamp.Timestamp | null>((end, other) => {
    const isElsewhere =
      other.arrival > stay.arrival &&
      overlap(stay, other) &&
      other.median !== null &&
      Geometry.sideOf(stay.circle, other.median, null) !== "inside"
    return isElsewhere && (end === null || other.arrival < end) ? other.arrival : end
  }, stay.departure)

/**
 * Whether `stay` is not shown, because one of `others` represents the same stop and hides it. Three stays may hide each
 * other in a ring (`a` hides `b`, `b` hides `c`, `c` hides `a`). All stays of a ring are shown, because otherwise the
 * stop would not be shown at all.
 */
export const isShownElsewhere = (stay: Located, others: ReadonlyArray<Located>): boolean =>
  others.some((other) => hides(other, stay) && !others.some((third) => hides(third, other) && hides(stay, third)))

/**
 * In metres. Two circles count as having one centre when their centres are at most this far apart. The medians of two
 * stays of one stop differ a little, because the larger circle has more fixes. So for such near centres, comparing
 * distances from the medians would give a random result.
 */
const ONE_CENTRE_M = 10

/**
 * Whether `a` hides `b`: the median of `b` lies in the circle of `a`, and the median of `a` is nearer to the centre of
 * its own circle. When the distances are equal, or the centres of the two circles are almost the same (`ONE_CENTRE_M`),
 * `a` must have the smaller circle or, when the circles are equally large, the smaller id.
 */
const hides = (a: Located, b: Located): boolean => {
  if (a.median === null || b.median === null || !overlap(a, b)) return false
  const isInside = Geometry.distanceM(a.circle, b.median) <= a.circle.radiusM
  const isOneCentre = Geometry.distanceM(a.circle, b.circle) <= ONE_CENTRE_M
  // The distances are compared in whole centimetres, because stored coordinates are not more precise.
  const nearer = isOneCentre ? 0 : centimetres(a.circle, a.median) - centimetres(b.circle, b.median)
  return isInside && (nearer || a.circle.radiusM - b.circle.radiusM || Order.string(a.placeId, b.placeId)) < 0
}

const centimetres = (circle: Geometry.Circle, at: Geometry.Point): number =>
  Math.round(Geometry.distanceM(circle, at) * 100)
