// Distances on the ellipsoid, and on which side of a circle somebody is. The schemas of the numbers are in
// `Coordinates.ts`, so that a bundle of this file has no part of `effect`.

export interface Point {
  readonly lat: number
  readonly lon: number
}

export interface Circle extends Point {
  readonly radiusM: number
}

const RADIANS = Math.PI / 180
const EQUATOR_M = 6_378_137
const ECCENTRICITY_2 = 0.006_694_379_990_14
/**
 * The latitude, in degrees, above which the mid-latitude formula becomes inaccurate, so that `distanceM` uses the chord
 * formula.
 */
const POLAR_LATITUDE = 85

/**
 * The distance in metres between two points on the WGS 84 ellipsoid (decision L2). At a distance of 10 km the error is
 * at most 4 mm up to 60° of latitude, and 0.16 m up to 85°. The formula for a sphere would be wrong by up to 56 m. That
 * error is larger than `MIN_BAND_M`, so a fix could count as inside a circle although it is outside, or the reverse.
 */
export const distanceM = (a: Point, b: Point): number => {
  if (Math.abs(a.lat) > POLAR_LATITUDE || Math.abs(b.lat) > POLAR_LATITUDE) return chordM(a, b)
  let degrees = b.lon - a.lon
  degrees -= 360 * Math.round(degrees / 360)
  const mid = ((a.lat + b.lat) / 2) * RADIANS
  const sin = Math.sin(mid)
  const w2 = 1 - ECCENTRICITY_2 * sin * sin
  const w = Math.sqrt(w2)
  const meridian = (EQUATOR_M * (1 - ECCENTRICITY_2)) / (w2 * w)
  const normal = EQUATOR_M / w
  const north = meridian * (b.lat - a.lat) * RADIANS
  const east = normal * Math.cos(mid) * degrees * RADIANS
  return Math.sqrt(north * north + east * east)
}

/**
 * The distance in metres along the surface. It is computed from the straight line through the ellipsoid (the chord).
 * Above 85° of latitude, for points that are 10 km apart, the error is below 0.1 mm.
 */
const chordM = (a: Point, b: Point): number => {
  const [ax, ay, az] = earthCentred(a)
  const [bx, by, bz] = earthCentred(b)
  const chord = Math.sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2)
  return 2 * POLAR_CURVATURE_M * Math.asin(Math.min(1, chord / (2 * POLAR_CURVATURE_M)))
}

/** The radius of curvature of the ellipsoid at the poles, a²/b, in metres. */
const POLAR_CURVATURE_M = 6_399_593.626

const earthCentred = ({ lat, lon }: Point): readonly [number, number, number] => {
  const sin = Math.sin(lat * RADIANS)
  const cos = Math.cos(lat * RADIANS)
  const normal = EQUATOR_M / Math.sqrt(1 - ECCENTRICITY_2 * sin * sin)
  return [
    normal * cos * Math.cos(lon * RADIANS),
    normal * cos * Math.sin(lon * RADIANS),
    normal * (1 - ECCENTRICITY_2) * sin
  ]
}

export type Side = "inside" | "outside"

/**
 * The smallest band around an edge, in metres. A fix that is at most this far from the edge of a circle counts as
 * neither inside nor outside (Spec §4.6.2).
 */
export const MIN_BAND_M = 50

/**
 * The band around an edge in which a fix of this accuracy decides nothing, in metres: max(50 m, accuracy). An accuracy
 * of at most 50 m, and an accuracy that is no number, count as 50 m.
 */
export const bandM = (accuracyM: number | null | undefined): number =>
  // Plain JavaScript can pass undefined or NaN. `Math.max` would then return NaN, and every fix would be undecided.
  typeof accuracyM === "number" && accuracyM > MIN_BAND_M ? accuracyM : MIN_BAND_M

/** The side on which a fix certainly is; undefined when the fix is at most max(50 m, accuracy) from the edge. */
export const sideOf = (circle: Circle, at: Point, accuracyM: number | null | undefined): Side | undefined => {
  const fromEdgeM = distanceM(circle, at) - circle.radiusM
  const band = bandM(accuracyM)
  return fromEdgeM < -band ? "inside" : fromEdgeM > band ? "outside" : undefined
}
