import { Geometry } from "@place-access/domain/places"
import type { LoggedReading } from "./Log.js"

/**
 * A time in which the phone stayed at one spot. This module finds stays without the service's code for visits, so that
 * a replay can compare the service's visits with them.
 */
export interface StayPoint extends Geometry.Point {
  /** The capture times of the first and the last reading of the stay, in milliseconds. */
  readonly from: number
  readonly until: number
}

/**
 * The worst accuracy, in meters, of a reading that counts. A less accurate reading does not show well enough where the
 * phone was.
 */
const ACCURATE_M = 100
/** The greatest distance, in meters, between the first reading of a stay and its other readings. */
const NEAR_M = 100
const MIN_STAY_MILLIS = 5 * 60_000
/** The distance in meters below which two stays are at one spot. */
const ONE_SPOT_M = 300

/**
 * Finds the stays in a log. A stay is a run of at least two readings, all within `NEAR_M` of the first. At least 5
 * minutes must pass from its first reading to the next reading that is farther away, or, at the end of the log, to its
 * last reading. Readings of unknown accuracy count as accurate.
 */
export const stayPoints = (readings: ReadonlyArray<LoggedReading>): ReadonlyArray<StayPoint> => {
  const stays: Array<StayPoint> = []
  const sorted = readings
    .map(({ reading }) => reading)
    .filter(({ accuracyM }) => accuracyM == null || !(accuracyM > ACCURATE_M))
    .sort((a, b) => a.capturedAt - b.capturedAt)
  let run: Array<(typeof sorted)[number]> = []
  const finish = (until: number | undefined) => {
    const [first, last] = [run[0], run.at(-1)]
    // A single reading is not counted as a stay: its position is often that of a cell tower.
    if (
      first !== undefined &&
      last !== undefined &&
      first !== last &&
      (until ?? last.capturedAt) - first.capturedAt >= MIN_STAY_MILLIS
    ) {
      const mean = (of: (one: Geometry.Point) => number) => run.reduce((sum, one) => sum + of(one), 0) / run.length
      stays.push({
        lat: mean(({ lat }) => lat),
        lon: mean(({ lon }) => lon),
        from: first.capturedAt,
        until: last.capturedAt
      })
    }
    run = []
  }
  for (const one of sorted) {
    const first = run[0]
    if (first !== undefined && Geometry.distanceM(first, one) > NEAR_M) finish(one.capturedAt)
    run.push(one)
  }
  finish(undefined)
  return stays
}

/**
 * The spots of the stays as circles. The first spot is the one where the phone stayed longest, all stays at the spot
 * added together. No spot is within `ONE_SPOT_M` of another.
 */
export const spots = (stays: ReadonlyArray<StayPoint>, radiusM: number): ReadonlyArray<Geometry.Circle> => {
  const found: Array<{ readonly centre: StayPoint; millis: number }> = []
  const longestFirst = [...stays].sort((a, b) => b.until - b.from - (a.until - a.from) || a.from - b.from)
  for (const stay of longestFirst) {
    const near = found.find(({ centre }) => Geometry.distanceM(centre, stay) < ONE_SPOT_M)
    if (near === undefined) found.push({ centre: stay, millis: stay.until - stay.from })
    else near.millis += stay.until - stay.from
  }
  return found
    .sort((a, b) => b.millis - a.millis || a.centre.from - b.centre.from)
    .map(({ centre: { lat, lon } }) => ({ lat, lon, radiusM }))
}
