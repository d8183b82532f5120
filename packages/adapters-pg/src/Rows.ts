import type { SqlError } from "@effect/sql/SqlError"
import { Timestamp } from "@place-access/domain/shared"
import { DateTime, Effect, type Option, type ParseResult, Predicate, Schema } from "effect"
import { readerOf, UNREAD } from "./rows/Reader.js"

/**
 * Between rows and values. `pg` gives timestamptz as Date, bigint and numeric as string, arrays as arrays and json(b)
 * parsed, on a server and on the embedded database alike.
 */

/** A timestamptz column. */
export const At = Schema.transform(Schema.ValidDateFromSelf, Timestamp.Timestamp, {
  strict: true,
  decode: (date) => date.getTime(),
  encode: (millis) => dateOf(millis)
})

/** A timestamptz column that may be null. */
export const NullableAt = Schema.NullOr(At)

/** A bigint column or `count(*)` that fits a number; anything beyond 2^53 is a bug and fails. */
export const Bigint = Schema.transform(Schema.Union(Schema.String, Schema.Number), Schema.Int, {
  strict: true,
  decode: Number,
  encode: String
})

const dateOf = (time: number): Date => DateTime.toDateUtc(DateTime.unsafeMake(time))

/** The year 10000, from which on ISO 8601 is not what the server reads. */
const ISO_END = 253_402_300_800_000

/**
 * A timestamp as a parameter of a statement. Within arrays too: `${times.map(Rows.at)}::timestamptz[]`. Text where it can be: the driver
 * puts a Date together piece by piece.
 */
export const at = (time: number): string | Date =>
  time >= 0 && time < ISO_END && Number.isInteger(time) ? isoOf(time) : dateOf(time)

const DAY = 86_400_000
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"))
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, "0"))
/** Nearly all moments that are written are of one day. */
const newest = { day: Number.NaN, date: "" }

/** As `toISOString`, which formats each number by way of the C library. */
const isoOf = (time: number): string => {
  const day = Math.floor(time / DAY)
  if (day !== newest.day) {
    newest.day = day
    newest.date = dateOf(time).toISOString().slice(0, "2026-01-02T".length)
  }
  const millis = time - day * DAY
  const seconds = Math.floor(millis / 1_000)
  const minutes = Math.floor(seconds / 60)
  const [h, m, s] = [TWO_DIGITS[Math.floor(minutes / 60)], TWO_DIGITS[minutes % 60], TWO_DIGITS[seconds % 60]]
  return `${newest.date}${h}:${m}:${s}.${THREE_DIGITS[millis % 1_000]}Z`
}

/** A timestamp or null as a parameter of a statement. */
export const nullableAt = (time: Timestamp.Timestamp | null): string | Date | null => (time === null ? null : at(time))

/** Any value as a parameter for a jsonb column: `pg` would send an array as an SQL array and a string unquoted. */
export const json = (value: unknown): string => JSON.stringify(value)

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError>

/** Rows that are there already, decoded. */
export const read = <A, I>(
  row: Schema.Schema<A, I>
): ((rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, ParseResult.ParseError>) => {
  const read = readerOf(row.ast)
  return (rows) => {
    const found: Array<A> = []
    for (const one of rows) {
      const value = read(one)
      if (value === UNREAD) return Schema.decodeUnknown(Schema.Array(row))(rows)
      found.push(value as A)
    }
    return Effect.succeed(found)
  }
}

/** Every row, decoded: ``sql`SELECT …`.pipe(Rows.all(Row))``. Columns that `row` does not name are left out. */
export const all = <A, I>(
  row: Schema.Schema<A, I>
): ((rows: Rows) => Effect.Effect<ReadonlyArray<A>, SqlError | ParseResult.ParseError>) => Effect.flatMap(read(row))

/** The first row, decoded; none when there is none. */
export const first = <A, I>(
  row: Schema.Schema<A, I>
): ((rows: Rows) => Effect.Effect<Option.Option<A>, SqlError | ParseResult.ParseError>) => {
  const read = readerOf(row.ast)
  return Effect.flatMap((rows) => {
    if (rows.length === 0) return Effect.succeedNone
    const value = read(rows[0])
    return value === UNREAD ? Effect.asSome(Schema.decodeUnknown(row)(rows[0])) : Effect.succeedSome(value as A)
  })
}

/** How many rows a statement inserted, updated or deleted: `Rows.affected(sql`UPDATE …`)`. */
export const affected = (statement: {
  readonly raw: Effect.Effect<unknown, SqlError>
}): Effect.Effect<number, SqlError> =>
  Effect.flatMap(statement.raw, (result) =>
    Predicate.hasProperty(result, "rowCount") && typeof result.rowCount === "number"
      ? Effect.succeed(result.rowCount)
      : Effect.dieMessage("The driver gave no row count")
  )
