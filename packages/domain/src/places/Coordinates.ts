// The schemas of the numbers that a place or zone has.
import { Schema } from "effect"
import { brand } from "../shared/Errors.js"

/**
 * Degrees of latitude in WGS 84. NaN is refused, because every comparison with NaN is false: a fix with NaN would be
 * neither inside nor outside any circle.
 */
export const Latitude = Schema.Finite.pipe(
  Schema.between(-90, 90, { message: () => "must be a number from -90 to 90" }),
  brand("Latitude")
)
export type Latitude = typeof Latitude.Type
export const Longitude = Schema.Finite.pipe(
  Schema.between(-180, 180, { message: () => "must be a number from -180 to 180" }),
  brand("Longitude")
)
export type Longitude = typeof Longitude.Type

/** The smallest radius of a place or zone, in metres (decision L1). */
export const MIN_RADIUS_M = 100
/** The largest radius of a place or zone, in metres (decision L1). */
export const MAX_RADIUS_M = 10_000

/**
 * The radius of a circle in metres, `MIN_RADIUS_M` to `MAX_RADIUS_M` (decision L1). In a circle of 50 m or less, every
 * fix would be too near the edge to count as inside.
 */
export const RadiusM = Schema.Finite.pipe(
  Schema.between(MIN_RADIUS_M, MAX_RADIUS_M, {
    message: () => `must be a number from ${MIN_RADIUS_M} to ${MAX_RADIUS_M}`
  }),
  brand("RadiusM")
)
export type RadiusM = typeof RadiusM.Type
