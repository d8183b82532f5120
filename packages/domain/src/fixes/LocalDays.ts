import { DateTime, Option } from "effect"
import { DAY, make, type Timestamp } from "../shared/Timestamp.js"

/** A day of somebody's calendar, or what of it lies in the stretch that was asked about. */
export interface LocalDay {
  /** `2026-03-29` */
  readonly date: string
  readonly from: Timestamp
}

/** An IANA name, such as `Europe/Amsterdam`. */
export type Zone = DateTime.TimeZone.Named

/** Names alone: `+02:00` is no place, and not every platform reads its sign alike. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** None for what is no zone. */
export const zone = (name: string): Option.Option<Zone> =>
  NAME.test(name) ? DateTime.zoneMakeNamed(name) : Option.none()

/**
 * The local days that `[from, until)` touches, in order. A day is as long as its zone makes it: 23 or 25 hours when clocks
 * change, and where midnight is skipped it begins at what comes instead; a date that a zone left out is not there. A midnight
 * that comes twice begins the day the first time.
 */
export const between = (zone: Zone, from: Timestamp, until: Timestamp): ReadonlyArray<LocalDay> => {
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
  // As a rule clocks do not change: looking for a midnight costs ten times as much.
  if (DateTime.zonedOffset(next) === offset) return next
  const midnight = (disambiguation: "compatible" | "later") =>
    DateTime.mutate(local, (date) => void date.setUTCHours(24, 0, 0, 0), { disambiguation })
  const first = midnight("compatible")
  // Clocks that go back over midnight: the first one is past already.
  return first.epochMillis > local.epochMillis ? first : midnight("later")
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by
