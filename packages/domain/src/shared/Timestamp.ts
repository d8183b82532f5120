import { type Clock, DateTime, Effect, Schema } from "effect"
import { brand } from "./Errors.js"

/**
 * An instant: whole milliseconds since 1970-01-01T00:00:00Z. On the wire it is an ISO 8601 UTC string with milliseconds
 * (Spec §2). In programs it is a number, because rule evaluation compares millions of instants a second.
 *
 * `@__PURE__` tells a bundler that the call does nothing but return a value. So a bundle of `RuleEvaluation`, which
 * uses only the arithmetic of this file, has no part of `effect` (`bundleSize.test.ts`).
 */
export const Timestamp = /* @__PURE__ */ (() => Schema.Int.pipe(brand("Timestamp")))()
export type Timestamp = typeof Timestamp.Type

export const SECOND = 1_000
export const MINUTE = 60_000
export const HOUR = 3_600_000
/** Exactly 24 hours, never a calendar day (decision T4). */
export const DAY = 86_400_000

/**
 * The instant of a number of milliseconds since 1970; a fraction is cut off. Throws for NaN, infinity and unsafe
 * integers.
 */
export const make = (epochMillis: number): Timestamp => {
  const at = Math.trunc(epochMillis)
  // `make` runs for every fix of an upload, so it does not call the schema for a valid number. For an invalid number it
  // does, and the schema throws its error.
  return Number.isSafeInteger(at) ? (at as Timestamp) : Timestamp.make(at)
}

/**
 * The present time of Effect's `Clock`, the only clock of the programs (decision T1). Programs read it and pass it on
 * as an argument.
 */
export const now: Effect.Effect<Timestamp> = /* @__PURE__ */ Effect.clockWith((clock) => Effect.succeed(read(clock)))

/** Calls `next` with the present time, without an extra step of the fiber. */
export const nowWith = <A, E, R>(next: (now: Timestamp) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => next(read(clock)))

const read = (clock: Clock.Clock): Timestamp => Math.trunc(clock.unsafeCurrentTimeMillis()) as Timestamp

/** Adds whole milliseconds, which may be negative. */
export const plus = (at: Timestamp, millis: number): Timestamp => (at + millis) as Timestamp

/**
 * The earlier of two times. Null for `other` means that there is no other time, for example because a tier has no end
 * date.
 */
export const earlier = (one: Timestamp, other: Timestamp | null): Timestamp =>
  other === null || one < other ? one : other

/** The instant in ISO 8601 and UTC, such as `2026-01-02T03:04:05.678Z`. */
export const toIso = (at: Timestamp): string => DateTime.formatIso(DateTime.unsafeMake(at))

/** The first and the last instant of the years 0000 to 9999. */
export const FIRST = -62_167_219_200_000
const LAST = 253_402_300_799_999

const ISO = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/

/**
 * Parses a time as clients send it: strict ISO 8601 with a zone (`Z`, `+02:00`, `+0200` or `+02`), with or without
 * seconds (decision M11). Undefined for any other text, such as a date without a time, a time without a zone, or a date
 * or time that does not exist (30 February, 24:00). Also undefined when the year in UTC has no four digits, because
 * `toIso` writes such an instant in a form that this function does not read. Digits after the milliseconds are cut off.
 */
export const parseIso = (text: string): Timestamp | undefined => {
  const found = ISO.exec(text)
  if (found === null) return undefined
  const part = (index: number): number => Number(found[index] ?? 0)
  const [year, month, day] = [part(1), part(2), part(3)]
  const [hour, minute, second] = [part(4), part(5), part(6)]
  const [zoneHours, zoneMinutes] = [part(9), part(10)]
  if (day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) return undefined
  if (zoneHours > 23 || zoneMinutes > 59) return undefined
  const millis = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"))
  const offset = (found[8] === "-" ? -1 : 1) * (zoneHours * HOUR + zoneMinutes * MINUTE)
  const clock = hour * HOUR + minute * MINUTE + second * SECOND + millis
  const at = dayNumber(year, month, day) * DAY + clock - offset
  return at < FIRST || at > LAST ? undefined : (at as Timestamp)
}

/** A schema that decodes with `parseIso` and encodes with `toIso`. */
export const FromIso = /* @__PURE__ */ (() =>
  Schema.transform(
    Schema.String.pipe(
      Schema.filter((text) => parseIso(text) !== undefined, {
        message: () => "must be an ISO 8601 timestamp with a zone, such as 2026-01-31T09:30:00.000Z"
      })
    ),
    Timestamp,
    { strict: true, decode: (text) => parseIso(text) ?? make(0), encode: (at) => toIso(at as Timestamp) }
  ).annotations({ identifier: "Timestamp", jsonSchema: { type: "string", format: "date-time" } }))()

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The number of days of a month; 0 for a month that does not exist. */
const daysIn = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0)

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/**
 * Days since 1970-01-01 in the Gregorian calendar. In this formula a year begins in March, so that the leap day is the
 * last day of a year.
 */
const dayNumber = (year: number, month: number, day: number): number => {
  const years = month > 2 ? year : year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return years * 365 + leapDays + dayOfYear - 719_468
}
