import geodesic from "geographiclib-geodesic"

/**
 * Karney's geodesics, exact to nanometres. The tests compare every distance of the product with Karney's distance
 * (decision L2).
 */
const { WGS84, DISTANCE } = geodesic.Geodesic

export interface Point {
  readonly lat: number
  readonly lon: number
}

/** The distance along the ellipsoid, in metres. */
export const geodesicM = (a: Point, b: Point): number => {
  const { s12 } = WGS84.Inverse(a.lat, a.lon, b.lat, b.lon, DISTANCE)
  if (s12 === undefined) throw new Error("The oracle gave no distance")
  return s12
}

/** The point `metres` metres from `from`, in the direction `azimuth`, in degrees clockwise from north. */
export const travel = (from: Point, azimuth: number, metres: number): Point => {
  const { lat2, lon2 } = WGS84.Direct(from.lat, from.lon, azimuth, metres)
  if (lat2 === undefined || lon2 === undefined) throw new Error("The oracle gave no point")
  return { lat: lat2, lon: lon2 }
}
