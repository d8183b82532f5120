/** How well circles find a person, written a second time (decisions/limits.md, "Questions about zones"). */

export interface Circle {
  readonly lat: number
  readonly lon: number
  readonly radiusM: number
}

/** A larger circle cuts a town in two; a smaller one finds somebody in its own area. */
const SMALL_M = 2_000
/** The width of the band around a small circle's edge. */
const BAND_M = 50
/** A guess covers a disc of 1 km. */
const GUESS_KM2 = Math.PI

const EARTH_M = 6_371_008.8
const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** The haversine formula. */
const apartM = (one: Circle, other: Circle): number => {
  const [a, b] = [radians(one.lat), radians(other.lat)]
  const across = Math.sin(radians(other.lon - one.lon) / 2) ** 2
  const h = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * across
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** Between the nearest points of two edges. */
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

/** In whichever order they were asked, at least this: every small one before the first cut. */
export const leastLocatedKm2 = (circles: ReadonlyArray<Circle>): number =>
  smallKm2(circles) + 2 ** cuts(circles) * GUESS_KM2

/** At most this: every cut before the first small one. */
export const mostLocatedKm2 = (circles: ReadonlyArray<Circle>): number =>
  2 ** cuts(circles) * (smallKm2(circles) + GUESS_KM2)
