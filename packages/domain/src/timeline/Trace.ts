// Divides a person's day into stays, stops, ways, gaps and deleted stretches. Decision timeline-2.
import type { StoredFix } from "../fixes/Fix.js"
import * as Geometry from "../places/Geometry.js"
import type { PlaceRef } from "../places/Place.js"
import { earlier, MINUTE, type Timestamp } from "../shared/Timestamp.js"
import { endOf, LONG_SILENCE, type OwnVisit, type VisitEnd } from "./OwnVisit.js"

/** A part of a day. `until` is exclusive. */
export interface DayPart {
  readonly from: Timestamp
  readonly until: Timestamp
}

export type Segment =
  /**
   * The person was at one of the person's places. `began` is the arrival, which may be before the day. `end`: how the
   * visit ends.
   */
  | (DayPart & {
      readonly kind: "stay"
      readonly place: PlaceRef
      readonly began: Timestamp
      readonly end: VisitEnd["kind"]
    })
  /** The person was at one spot for at least `MIN_STOP`, outside of all stays. */
  | (DayPart & { readonly kind: "stop"; readonly centre: Geometry.Point })
  /** The person was moving. `lengthM` is the length of the line through the readings. */
  | (DayPart & { readonly kind: "way"; readonly lengthM: number })
  /** In this time, the line (`line`) has no reading, or only single readings, which make no way. */
  | (DayPart & { readonly kind: "gap" })
  /** The owner deleted this stretch. */
  | (DayPart & { readonly kind: "erased" })

/** Milliseconds. A shorter halt, for example at traffic lights, is part of a way. */
export const MIN_STOP = 10 * MINUTE
/**
 * Metres. Readings at most this far from the middle of a stop belong to the stop. (Most phones show a position that is
 * less than 50 m off.)
 */
const STOP_RADIUS_M = 120
/**
 * Milliseconds. When two readings are at least this far apart in time, it is unknown where the person was between them.
 */
export const MIN_GAP = LONG_SILENCE
/** Metres. A less precise reading is left out, because it would move the line on the map to other streets. */
const MAX_ACCURACY_M = 200

/** A spot where the phone stayed for at least `MIN_STOP`. */
export interface Stop extends DayPart {
  readonly centre: Geometry.Point
}

/**
 * The readings of a possible stop. `lat` and `lon` are the sums of the differences to the first reading, in degrees, so
 * that the middle of a stop on the date line is on the date line too.
 */
interface Members extends Geometry.Point {
  readonly first: StoredFix
  readonly last: StoredFix
  readonly count: number
}

/** The stops of one phone. `fixes` are the phone's readings in the order of capture. */
export const stops = (fixes: ReadonlyArray<StoredFix>): ReadonlyArray<Stop> => {
  const found: Array<Stop> = []
  let members: Members | undefined
  const close = () => {
    if (members === undefined) return
    const [from, until] = [members.first.capturedAt, members.last.capturedAt]
    if (until - from >= MIN_STOP) found.push({ from, until, centre: middle(members) })
    members = undefined
  }
  for (const fix of fixes) {
    if (members !== undefined && Geometry.distanceM(middle(members), fix) > STOP_RADIUS_M) close()
    const { count, first, lat, lon } = members ?? { first: fix, count: 0, lat: 0, lon: 0 }
    const sums = { lat: lat + fix.lat - first.lat, lon: lon + turn(fix.lon - first.lon) }
    members = { ...sums, first, last: fix, count: count + 1 }
  }
  close()
  return found
}

/**
 * The mean position of all readings of a stop. The mean of only the last readings would move along with a walking
 * person. A walk with a reading each second would then be one stop.
 */
const middle = ({ count, first, lat, lon }: Members): Geometry.Point => ({
  lat: first.lat + lat / count,
  lon: turn(first.lon + lon / count)
})

const turn = (degrees: number): number => ((degrees + 540) % 360) - 180

/**
 * The precise readings, oldest first, of a single phone: the phone with the largest number of precise readings. A line
 * through the readings of two phones would zigzag between them.
 */
export const line = (fixes: ReadonlyArray<StoredFix>): ReadonlyArray<StoredFix> => {
  const precise = fixes.filter(({ accuracyM }) => (accuracyM ?? 0) <= MAX_ACCURACY_M)
  const counts = new Map<string, number>()
  for (const { deviceId } of precise) counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1)
  const [main] = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  return precise.filter(({ deviceId }) => deviceId === main?.[0]).sort((a, b) => a.capturedAt - b.capturedAt)
}

/** The length of a line of readings in metres. */
export const lengthM = (fixes: ReadonlyArray<Geometry.Point>): number =>
  fixes.reduce((all, fix, index) => {
    const before = fixes[index - 1]
    return before === undefined ? 0 : all + Geometry.distanceM(before, fix)
  }, 0)

/** The facts that `segments` needs in addition to the day's readings and visits. */
interface TraceContext {
  /** The stretches that the owner deleted. */
  readonly erasures?: ReadonlyArray<DayPart>
  readonly heardAt?: Timestamp | null
}

/**
 * The segments of a day until `now`, oldest first. Stays may overlap, because one place may be inside another; stops,
 * ways and gaps fill the time between stays and deleted stretches. `fixes` are the result of `line`. `heardAt` is the
 * time of the newest reading of all phones, of any day: an open stay is known until then only (`endOf`).
 */
export const segments = (
  day: DayPart,
  visits: ReadonlyArray<OwnVisit>,
  fixes: ReadonlyArray<StoredFix>,
  now: Timestamp,
  { erasures = [], heardAt = null }: TraceContext = {}
): ReadonlyArray<Segment> => {
  const until = earlier(day.until, now)
  const erased = erasures
    .map((one): Segment => ({ kind: "erased", from: later(one.from, day.from), until: earlier(one.until, until) }))
    .filter((one) => one.from < one.until)
  const stays = visits
    .map((visit): Segment & { readonly kind: "stay" } => {
      const { at, kind: end } = endOf(visit, heardAt, now)
      const { arrival: began, place } = visit
      return { kind: "stay", place, began, from: later(began, day.from), until: earlier(at, until), end }
    })
    .filter((stay) => stay.from < stay.until)
  const covered = [...stays, ...erased].sort((a, b) => a.from - b.from)
  const between: Array<Segment> = []
  let at = day.from
  for (const one of covered) {
    if (one.from > at) between.push(...moved({ from: at, until: one.from }, fixes))
    at = later(at, one.until)
  }
  if (at < until) between.push(...moved({ from: at, until }, fixes))
  return [...covered, ...between].sort((a, b) => a.from - b.from)
}

/**
 * Stops, ways and gaps in a part without stays. Readings at both ends of the part count, so that a way begins and ends
 * at the stays beside it.
 */
const moved = (part: DayPart, fixes: ReadonlyArray<StoredFix>): ReadonlyArray<Segment> => {
  const own = fixes.filter(({ capturedAt }) => capturedAt >= part.from && capturedAt <= part.until)
  const found: Array<Segment> = []
  let at = part.from
  const pass = (until: Timestamp) => {
    const [first, ...rest] = until > at ? waysAndGaps({ from: at, until }, own) : []
    const last = found.at(-1)
    // A stop continues through a silence that is shorter than `MIN_GAP`.
    if (last?.kind === "stop" && first?.kind === "gap" && rest.length === 0 && isShort(first)) {
      found[found.length - 1] = { ...last, until }
    } else if (first !== undefined) found.push(first, ...rest)
    at = until
  }
  for (const stop of stops(own)) {
    pass(stop.from)
    found.push({ kind: "stop", ...stop })
    at = stop.until
  }
  pass(part.until)
  return found
}

const isShort = ({ from, until }: DayPart): boolean => until - from < MIN_GAP

const waysAndGaps = (part: DayPart, fixes: ReadonlyArray<StoredFix>): ReadonlyArray<Segment> => {
  const own = fixes.filter(({ capturedAt }) => capturedAt >= part.from && capturedAt <= part.until)
  const times = [part.from, ...own.map(({ capturedAt }) => capturedAt), part.until]
  const found: Array<Segment> = []
  let at = part.from
  const gap = (until: Timestamp) => {
    const last = found.at(-1)
    // A single reading does not divide a silence into two gaps when one of the gaps would be shorter than `MIN_GAP`.
    if (last?.kind === "gap" && (isShort(last) || until - at < MIN_GAP)) found[found.length - 1] = { ...last, until }
    else found.push({ kind: "gap", from: at, until })
    at = until
  }
  const way = (until: Timestamp) => {
    if (until <= at) return
    const on = own.filter(({ capturedAt }) => capturedAt >= at && capturedAt <= until)
    // A single reading has no length, so it makes no way.
    if (on.length < 2) return gap(until)
    found.push({ kind: "way", from: at, until, lengthM: lengthM(on) })
    at = until
  }
  times.forEach((time, index) => {
    const before = times[index - 1]
    if (before === undefined || time - before < MIN_GAP) return
    way(before)
    gap(time)
  })
  way(part.until)
  return found
}

const later = (a: Timestamp, b: Timestamp): Timestamp => (a > b ? a : b)

/** The number of visits and the total time at each place, the longest time first. */
export const totals = (
  segments: ReadonlyArray<Segment>
): ReadonlyArray<{ readonly place: PlaceRef; readonly visits: number; readonly millis: number }> => {
  const found = new Map<string, { readonly place: PlaceRef; readonly visits: number; readonly millis: number }>()
  for (const one of segments) {
    if (one.kind !== "stay") continue
    const { millis, visits } = found.get(one.place.id) ?? { millis: 0, visits: 0 }
    found.set(one.place.id, { place: one.place, visits: visits + 1, millis: millis + one.until - one.from })
  }
  return [...found.values()].sort((a, b) => b.millis - a.millis)
}

/**
 * At most `limit` readings, evenly chosen, with the first and the last, because a map cannot draw all readings of a
 * day.
 */
export const thinned = <A>(fixes: ReadonlyArray<A>, limit: number): ReadonlyArray<A> => {
  if (fixes.length <= limit) return fixes
  const step = (fixes.length - 1) / (limit - 1)
  return Array.from({ length: limit }, (_, index) => fixes[Math.round(index * step)]).flatMap((fix) =>
    fix === undefined ? [] : [fix]
  )
}
