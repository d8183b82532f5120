import type { Circle, Reading } from "../../../Operations.js"

/**
 * The distance in metres on WGS 84, by Vincenty's inverse formula (Survey Review 176, 1975). The product uses another
 * formula.
 */

const MAJOR_M = 6_378_137
const FLATTENING = 1 / 298.257_223_563
const MINOR_M = MAJOR_M * (1 - FLATTENING)
const RADIANS = Math.PI / 180

interface Point {
  readonly lat: number
  readonly lon: number
}

export const metresBetween = (from: Point, to: Point): number => {
  const difference = ((((to.lon - from.lon) % 360) + 540) % 360) - 180
  const [u1, u2] = [from, to].map(({ lat }) => Math.atan((1 - FLATTENING) * Math.tan(lat * RADIANS))) as [
    number,
    number
  ]
  const [sinU1, cosU1, sinU2, cosU2] = [Math.sin(u1), Math.cos(u1), Math.sin(u2), Math.cos(u2)]
  const l = difference * RADIANS
  let lambda = l
  for (let round = 0; round < 100; round++) {
    const [sinLambda, cosLambda] = [Math.sin(lambda), Math.cos(lambda)]
    const sinSigma = Math.hypot(cosU2 * sinLambda, cosU1 * sinU2 - sinU1 * cosU2 * cosLambda)
    if (sinSigma === 0) return 0
    const cosSigma = sinU1 * sinU2 + cosU1 * cosU2 * cosLambda
    const sigma = Math.atan2(sinSigma, cosSigma)
    const sinAlpha = (cosU1 * cosU2 * sinLambda) / sinSigma
    const cosSqAlpha = 1 - sinAlpha * sinAlpha
    const cos2M = cosSqAlpha === 0 ? 0 : cosSigma - (2 * sinU1 * sinU2) / cosSqAlpha
    const c = (FLATTENING / 16) * cosSqAlpha * (4 + FLATTENING * (4 - 3 * cosSqAlpha))
    const before = lambda
    lambda =
      l + (1 - c) * FLATTENING * sinAlpha * (sigma + c * sinSigma * (cos2M + c * cosSigma * (2 * cos2M * cos2M - 1)))
    if (Math.abs(lambda - before) > 1e-12) continue
    const uSq = (cosSqAlpha * (MAJOR_M * MAJOR_M - MINOR_M * MINOR_M)) / (MINOR_M * MINOR_M)
    const a = 1 + (uSq / 16_384) * (4_096 + uSq * (uSq * (320 - 175 * uSq) - 768))
    const b = (uSq / 1_024) * (256 + uSq * (uSq * (74 - 47 * uSq) - 128))
    const deltaSigma =
      b *
      sinSigma *
      (cos2M +
        (b / 4) *
          (cosSigma * (2 * cos2M * cos2M - 1) -
            (b / 6) * cos2M * (4 * sinSigma * sinSigma - 3) * (4 * cos2M * cos2M - 3)))
    return MINOR_M * a * (sigma - deltaSigma)
  }
  // For points on opposite sides of the earth the formula does not converge. The result is then half the circumference,
  // which is far enough from every circle.
  return Math.PI * MINOR_M
}

/**
 * If a fix is closer than this, in metres, to an edge of the band around a boundary, the service may compute that the
 * fix is on the other side of the edge. So the oracles consider both sides possible.
 */
const TOLERANCE_M = 0.2

/**
 * Where a fix may lie (Spec §4.6.2): inside the circle, outside the circle, or in the band around the circle's
 * boundary. Several fields are true when the fix is closer than `TOLERANCE_M` to an edge of the band.
 */
export interface Sides {
  readonly inside: boolean
  readonly outside: boolean
  readonly boundary: boolean
}

const measured = new WeakMap<Circle, Map<string, number>>()

export const metresToCentre = (circle: Circle, fix: Point): number => {
  const known = measured.get(circle) ?? new Map<string, number>()
  measured.set(circle, known)
  const key = `${fix.lat} ${fix.lon}`
  const metres = known.get(key) ?? metresBetween(circle, fix)
  known.set(key, metres)
  return metres
}

export const sidesOf = (circle: Circle, fix: Reading): Sides => {
  const beyond = metresToCentre(circle, fix) - circle.radiusM
  const margin = marginM(fix)
  return {
    inside: beyond < -margin + TOLERANCE_M,
    outside: beyond > margin - TOLERANCE_M,
    boundary: Math.abs(beyond) <= margin + TOLERANCE_M
  }
}

/**
 * The accuracy that counts for a fix, in metres, at least 50. Decision L3: an accuracy that is missing, 0, negative or
 * infinite is unknown.
 */
export const marginM = ({ accuracyM }: Reading): number =>
  accuracyM !== null && Number.isFinite(accuracyM) && accuracyM > 0 ? Math.max(50, accuracyM) : 50
