import { BAND_M, GUESS_KM2, SMALL_M } from "../../../Specification.js"
/**
 * How exactly an app can locate a person by questions about circles, computed without the product's code (decision M8).
 */

export interface Circle {
  readonly lat: number
  readonly lon: number
  readonly radiusM: number
}

const EARTH_M = 6_371_008.8
const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** The distance between the centres in metres, by the haversine formula. */
const apartM = (one: Circle, other: Circle): number => {
  const [a, b] = [radians(one.lat), radians(other.lat)]
  const across = Math.sin(radians(other.lon - one.lon) / 2) ** 2
  const h = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * across
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** The distance between the nearest points of the boundaries of two circles, in metres. */
export const edgesApartM = (one: Circle, other: Circle): number => {
  const apart = apartM(one, other)
  const [small, large] = [Math.min(one.radiusM, other.radiusM), Math.max(one.radiusM, other.radiusM)]
  if (apart > small + large) return apart - small - large
  return apart + small < large ? large - small - apart : 0
}

const smallKm2 = (circles: ReadonlyArray<Circle>): number =>
  circles
    .filter(({ radiusM }) => radiusM <= SMALL_M)
    .reduce((sum, { radiusM }) => sum + Math.PI * ((radiusM + BAND_M) / 1_000) ** 2, 0)

const cuts = (circles: ReadonlyArray<Circle>): number => circles.filter(({ radiusM }) => radiusM > SMALL_M).length

/**
 * The smallest area, in km², in which questions about `circles` may locate people, whatever the order of the questions.
 * A question about a small circle adds the circle's area. Each question about a larger circle (a cut) doubles what all
 * later questions add. `GUESS_KM2`, for a guess after the last question, is doubled for each cut. So the sum is
 * smallest if all small circles come before the cuts.
 */
export const leastLocatedKm2 = (circles: ReadonlyArray<Circle>): number =>
  smallKm2(circles) + 2 ** cuts(circles) * GUESS_KM2

/**
 * The largest area, in km², in which questions about `circles` may locate people. This assumes the order of the
 * questions that gives the largest area: each larger circle (a cut) doubles the area of all later questions, so all
 * cuts come before the first small circle.
 */
export const mostLocatedKm2 = (circles: ReadonlyArray<Circle>): number =>
  2 ** cuts(circles) * (smallKm2(circles) + GUESS_KM2)
