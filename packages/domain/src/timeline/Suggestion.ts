// Places that the readings suggest to their owner. Decision timeline-3.
import { Array as Arr, Option } from "effect"
import type { StoredFix } from "../fixes/Fix.js"
import * as LocalDays from "../fixes/LocalDays.js"
import * as Geometry from "../places/Geometry.js"
import type { Place, PlaceKind } from "../places/Place.js"
import { HOUR, type Timestamp } from "../shared/Timestamp.js"
import { line, type DayPart, type Stop, stops } from "./Trace.js"

/**
 * A spot where the person often is and that is not inside a place yet: the service suggests a new place at this spot.
 */
export interface Suggestion {
  readonly centre: Geometry.Point
  readonly kind: PlaceKind
  /** The number of nights or days on which the person was at this spot. */
  readonly count: number
  /** The time of the last reading of the person's last stop at this spot. */
  readonly lastAt: Timestamp
}

/**
 * Metres. Two stops that are at most this far apart are at one spot, because one place with the default radius can
 * contain both.
 */
const SAME_SPOT_M = 150
/** Milliseconds. Only a stop of at least this length can be a night or a working day. */
const LONG_ENOUGH = 3 * HOUR
/** A spot with fewer nights or days than this is not suggested, because the person does not go there regularly. */
const OFTEN_ENOUGH = 3
/** The local time of the middle of a night. A person spent the night at the stop that covers this time. */
const NIGHT_AT = "03:00"

/**
 * At most two spots outside of the person's places: the spot with the most nights (home), and the spot with the most
 * days (work). `fixes` may come from several phones, in any order. `erasures` are the stretches that the owner deleted,
 * in order of time: no stop goes on through such a stretch.
 */
export const of = (
  fixes: ReadonlyArray<StoredFix>,
  places: ReadonlyArray<Place>,
  zone: LocalDays.TimeZone,
  erasures: ReadonlyArray<DayPart> = []
): ReadonlyArray<Suggestion> => {
  const all = divided(line(fixes), erasures).flatMap(stops)
  const own = all.filter(
    ({ centre, from, until }) =>
      until - from >= LONG_ENOUGH &&
      !places.some(({ circle }) => Geometry.distanceM(circle, centre) <= circle.radiusM + SAME_SPOT_M)
  )
  const nights = best(own, (stop) => nightsOf(stop, zone))
  const days = best(
    own.filter((stop) => nights === undefined || !isAt(nights, stop)),
    (stop) => (nightsOf(stop, zone).length > 0 ? [] : [LocalDays.dateOf(zone, stop.from)])
  )
  const suggested = (spot: Spot | undefined, kind: PlaceKind): ReadonlyArray<Suggestion> => {
    if (spot === undefined) return []
    const last = all.findLast((stop) => isAt(spot, stop))
    return last === undefined ? [] : [{ centre: spot.centre, kind, count: spot.dates.size, lastAt: last.until }]
  }
  return [...suggested(nights, "home"), ...suggested(days, "work")]
}

const isAt = (spot: Spot, { centre }: Stop): boolean => Geometry.distanceM(spot.centre, centre) <= SAME_SPOT_M

/** The readings, oldest first, divided into groups at the beginning of each deleted stretch. */
const divided = (
  fixes: ReadonlyArray<StoredFix>,
  erasures: ReadonlyArray<DayPart>
): ReadonlyArray<ReadonlyArray<StoredFix>> => {
  const begun = (at: Timestamp) => erasures.findLastIndex(({ from }) => from <= at) + 1
  return Object.values(Arr.groupBy(fixes, ({ capturedAt }) => String(begun(capturedAt))))
}

/** The dates of the nights that the person spent at the stop: the stop covers the middle of the night (`NIGHT_AT`). */
const nightsOf = ({ from, until }: Stop, zone: LocalDays.TimeZone): ReadonlyArray<string> =>
  LocalDays.between(zone, from, until).flatMap(({ date }) =>
    // The day is looked up by its date, because the first day that `between` returns begins at the start of the stop.
    LocalDays.dayOf(zone, date).pipe(
      Option.flatMap((day) => LocalDays.instantOf(zone, day, NIGHT_AT)),
      Option.filter((middle) => middle >= from && middle < until),
      Option.match({ onNone: () => [], onSome: () => [date] })
    )
  )

/** A spot, and the dates on which the person was at the spot. */
interface Spot {
  readonly centre: Geometry.Point
  readonly dates: Set<string>
}

/** The spot with the most dates, if it has at least `OFTEN_ENOUGH` dates. */
const best = (all: ReadonlyArray<Stop>, datesOf: (stop: Stop) => ReadonlyArray<string>): Spot | undefined => {
  const spots: Array<Spot> = []
  for (const stop of all) {
    const dates = datesOf(stop)
    if (dates.length === 0) continue
    let spot = spots.find((one) => isAt(one, stop))
    if (spot === undefined) {
      spot = { centre: stop.centre, dates: new Set() }
      spots.push(spot)
    }
    for (const date of dates) spot.dates.add(date)
  }
  const [most] = spots.sort((a, b) => b.dates.size - a.dates.size)
  return most === undefined || most.dates.size < OFTEN_ENOUGH ? undefined : most
}
