import { DateTime, Option } from "effect"
import { DAY, make, type Timestamp } from "../shared/Timestamp.js"

/** A day of a local calendar, or the part of that day that lies in the span. */
export interface LocalDay {
  /** `2026-03-29` */
  readonly date: string
  readonly from: Timestamp
}

/** An IANA name, such as `Europe/Amsterdam`. */
export type TimeZone = DateTime.TimeZone.Named

/** Accepts names only. An offset such as `+02:00` is not a place, and platforms disagree about its sign. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** None when no time zone has this name. */
export const zone = (name: string): Option.Option<TimeZone> =>
  NAME.test(name) ? DateTime.zoneMakeNamed(name) : Option.none()

/**
 * The local days that `[from, until)` touches, in order. When clocks change, a day has 23 or 25 hours. Where a clock
 * change skips midnight, the day begins at the first time after the gap. Where midnight happens twice, the day begins
 * at the first one. A date that the zone skipped altogether is missing.
 */
export const between = (zone: TimeZone, from: Timestamp, until: Timestamp): ReadonlyArray<LocalDay> => {
  const days: Array<LocalDay> = []
  let start = DateTime.setZone(DateTime.unsafeMake(from), zone)
  while (start.epochMillis < until) {
    days.push({ date: DateTime.formatIsoDate(start), from: make(start.epochMillis) })
    start = nextMidnight(start)
  }
  return days
}

const nextMidnight = (local: DateTime.Zoned): DateTime.Zoned => {
  const offset = DateTime.zonedOffset(local)
  const usual = local.epochMillis + DAY - modulo(local.epochMillis + offset, DAY)
  const next = DateTime.setZone(DateTime.unsafeMake(usual), local.zone)
  // Clocks rarely change. Computing midnight in a zone costs ten times as much as adding 24 hours.
  if (DateTime.zonedOffset(next) === offset) return next
  const midnight = (disambiguation: "compatible" | "later") =>
    DateTime.mutate(local, (date) => void date.setUTCHours(24, 0, 0, 0), { disambiguation })
  const first = midnight("compatible")
  // When clocks go back over midnight, the computed midnight can be in the past: take the other one.
  return first.epochMillis > local.epochMillis ? first : midnight("later")
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by
