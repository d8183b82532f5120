import { geodesicM, type Point } from "../../../../packages/domain/test/support/geodesic.js"
import type { RecordedFix } from "../../../../packages/domain/test/support/traces.js"

/** A stay of the phone. */
export interface Stay extends Point {
  readonly minutes: number
}

const NEAR_M = 200
const APART_M = 600
const MIN_MINUTES = 10

/**
 * Finds stays in a phone's log: runs of readings that remain within 200 m of their first reading for at least ten
 * minutes. Returns at most `atMost` stays, longest first. A stay less than 600 m from a longer stay of the result is
 * left out. This simple method is enough to find places for rules.
 */
export const findStays = (fixes: ReadonlyArray<RecordedFix>, atMost: number): ReadonlyArray<Stay> => {
  const usable = fixes.filter((fix) => fix.accuracy <= NEAR_M).sort((a, b) => a.capturedAt - b.capturedAt)
  const runs: Array<Array<RecordedFix>> = []
  for (const fix of usable) {
    const run = runs.at(-1)
    const first = run?.[0]
    if (run !== undefined && first !== undefined && geodesicM(first, fix) <= NEAR_M) run.push(fix)
    else runs.push([fix])
  }
  const stays = runs
    .map((run): Stay => ({
      lat: mean(run.map((fix) => fix.lat)),
      lon: mean(run.map((fix) => fix.lon)),
      minutes: ((run.at(-1)?.capturedAt ?? 0) - (run[0]?.capturedAt ?? 0)) / 60_000
    }))
    .sort((a, b) => b.minutes - a.minutes)
  const long = stays.filter((stay) => stay.minutes >= MIN_MINUTES)
  const chosen: Array<Stay> = []
  // A log of a few minutes has no stay of ten minutes. Such a log counts its longest run of near readings as a stay, so
  // that rules have a place.
  for (const stay of long.length > 0 ? long : stays.slice(0, 1)) {
    if (chosen.length < atMost && chosen.every((other) => geodesicM(stay, other) >= APART_M)) chosen.push(stay)
  }
  return chosen
}

/**
 * The place that the phone left twice in the shortest time, so that the cooldown of a rule on this place matters.
 * Undefined when the phone left no place twice.
 */
export const findRestless = (fixes: ReadonlyArray<RecordedFix>): Point | undefined => {
  const usable = fixes.filter((fix) => fix.accuracy <= 50).sort((a, b) => a.capturedAt - b.capturedAt)
  const restless = usable
    .filter((_, index) => index % 3 === 0)
    .map((centre) => ({ centre, pause: shortestPause(departures(usable, centre)) }))
    .reduce((best, one) => (one.pause < best.pause ? one : best), { centre: undefined, pause: Infinity } as {
      readonly centre: RecordedFix | undefined
      readonly pause: number
    })
  return restless.centre
}

/** The times at which the phone went from within 50 m to beyond 150 m. */
const departures = (fixes: ReadonlyArray<RecordedFix>, centre: Point): ReadonlyArray<number> => {
  let isInside = false
  return fixes.flatMap((fix) => {
    const metres = geodesicM(centre, fix)
    const leaves = isInside && metres > 150
    isInside = metres < 50 || (isInside && metres <= 150)
    return leaves ? [fix.capturedAt] : []
  })
}

const shortestPause = (times: ReadonlyArray<number>): number =>
  Math.min(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length
