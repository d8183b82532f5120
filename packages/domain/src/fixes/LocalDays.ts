import { DateTime, Option } from "effect"
import { find, type TimeZone } from "../shared/TimeZone.js"
import { DAY, HOUR, make, parseIso, plus, type Timestamp } from "../shared/Timestamp.js"

/**
 * A day of a local calendar, from `from` on. The first day that `between` returns begins at the start of its span, not
 * at midnight.
 */
export interface LocalDay {
  /** The date, such as `2026-03-29`. */
  readonly date: string
  readonly from: Timestamp
}

export type { TimeZone }

/** The time zone with this IANA name. None when no time zone has this name. */
export const zone = find

/**
 * The local days that `[from, until)` touches, in order. When clocks change, a day is shorter or longer than 24 hours.
 * Where a clock change skips midnight, the day begins at the first time after the gap. Where midnight happens twice,
 * the day begins at the first midnight. A date that the zone skipped altogether is missing.
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

/** A whole day of a local calendar. */
export interface WholeDay extends LocalDay {
  /** Exclusive: the next day begins at this instant. */
  readonly until: Timestamp
}

/**
 * How long before the date's midnight in UTC `dayOf` begins to search, in milliseconds. The local midnight is at most
 * 16 hours away from the midnight in UTC. The search begins another 24 hours earlier, because the first day that
 * `between` returns begins at the start of the span and not at midnight.
 */
const AROUND = 40 * HOUR

/** The day of this date (`2026-03-29`) in the zone. None when `date` is no date or the zone skipped it. */
export const dayOf = (zone: TimeZone, date: string): Option.Option<WholeDay> => {
  const utc = parseIso(`${date}T00:00:00Z`)
  if (utc === undefined) return Option.none()
  const days = between(zone, plus(utc, -AROUND), plus(utc, 2 * AROUND))
  const index = days.findIndex((day) => day.date === date)
  const [day, next] = [days[index], days[index + 1]]
  return day === undefined || next === undefined ? Option.none() : Option.some({ ...day, until: next.from })
}

/**
 * The instant of a time of the day (`09:30`) in the zone; `24:00` is the end of the day. None when `time` is no time of
 * day. A time that the clocks skip moves forward by the gap. `which` says which instant is returned for a time that
 * occurs twice: the first for the beginning of a stretch of the day, or the last for its end. An instant that is then
 * outside of the day is replaced by the beginning or the end of the day.
 */
export const instantOf = (
  zone: TimeZone,
  day: WholeDay,
  time: string,
  which: "first" | "last" = "first"
): Option.Option<Timestamp> => {
  if (time === "24:00") return Option.some(day.until)
  const [, hours = "", minutes = ""] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
  if (hours === "") return Option.none()
  const [year = 0, month = 1, date = 1] = day.date.split("-").map(Number)
  const parts = { year, month, day: date, hours: Number(hours), minutes: Number(minutes), seconds: 0, millis: 0 }
  const disambiguation = which === "first" ? "compatible" : "later"
  return Option.map(
    DateTime.makeZoned(parts, { timeZone: zone, adjustForTimeZone: true, disambiguation }),
    ({ epochMillis }) => make(Math.min(Math.max(epochMillis, day.from), day.until))
  )
}

/** The date of a moment in the zone: `2026-03-29`. */
export const dateOf = (zone: TimeZone, at: Timestamp): string =>
  DateTime.formatIsoDate(DateTime.setZone(DateTime.unsafeMake(at), zone))

const nextMidnight = (local: DateTime.Zoned): DateTime.Zoned => {
  const offset = DateTime.zonedOffset(local)
  const usual = local.epochMillis + DAY - modulo(local.epochMillis + offset, DAY)
  const next = DateTime.setZone(DateTime.unsafeMake(usual), local.zone)
  // When the clocks do not change before midnight, adding hours gives midnight, and is ten times cheaper than computing
  // midnight in the zone.
  if (DateTime.zonedOffset(next) === offset) return next
  const midnight = (disambiguation: "compatible" | "later") =>
    DateTime.mutate(local, (date) => void date.setUTCHours(24, 0, 0, 0), { disambiguation })
  const first = midnight("compatible")
  // When clocks go back over midnight, the first midnight of this date can be in the past. Then the next day begins at
  // the later midnight.
  return first.epochMillis > local.epochMillis ? first : midnight("later")
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by
