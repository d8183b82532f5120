import { type Clock, DateTime, Effect, Schema } from "effect"

/**
 * An instant: whole milliseconds since 1970-01-01T00:00:00Z. On the wire an ISO 8601 UTC string with milliseconds
 * (Spec §2); inside, a number, because the rule evaluation compares millions of them a second.
 */
export const Timestamp = Schema.Int.pipe(Schema.brand("Timestamp"))
export type Timestamp = typeof Timestamp.Type

export const SECOND = 1_000
export const MINUTE = 60_000
export const HOUR = 3_600_000
/** Exactly 24 hours, never a calendar day (decision T4). */
export const DAY = 86_400_000

/** From milliseconds since 1970; fractions are cut off. */
export const make = (epochMillis: number): Timestamp => Timestamp.make(Math.trunc(epochMillis))

/** The one clock (decision T1): read here, passed everywhere else as an argument. */
export const now: Effect.Effect<Timestamp> = Effect.clockWith((clock) => Effect.succeed(read(clock)))

/** Goes on with `now`, without a step of the fibre for it. */
export const nowWith = <A, E, R>(next: (now: Timestamp) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => next(read(clock)))

const read = (clock: Clock.Clock): Timestamp => Math.trunc(clock.unsafeCurrentTimeMillis()) as Timestamp

/** Later by so many whole milliseconds; earlier when they are negative. */
export const plus = (at: Timestamp, millis: number): Timestamp => (at + millis) as Timestamp

/** `2026-01-02T03:04:05.678Z` */
export const toIso = (at: Timestamp): string => DateTime.formatIso(DateTime.unsafeMake(at))

const ISO =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * Strict ISO 8601 with a zone; "2025" or a date without a time is refused. Digits past the millisecond are cut off.
 * A date that no calendar has (30 February) is refused.
 */
export const FromIso = Schema.transform(
  Schema.String.pipe(
    Schema.filter((text) => ISO.test(text) && isCalendarDate(text), {
      message: () => "must be an ISO 8601 timestamp with a zone, such as 2026-01-31T09:30:00.000Z"
    })
  ),
  Timestamp,
  {
    strict: true,
    decode: (text) => make(DateTime.unsafeMake(text).epochMillis),
    encode: (at) => toIso(at as Timestamp)
  }
).annotations({ identifier: "Timestamp", jsonSchema: { type: "string", format: "date-time" } })

const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isCalendarDate(text: string): boolean {
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))]
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && day === 29 ? leap : day <= (DAYS_IN_MONTH[month - 1] ?? 0)
}
