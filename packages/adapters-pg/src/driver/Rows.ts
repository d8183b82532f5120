import type { SqlError } from "@effect/sql/SqlError"
import { type Fragment, unsafeFragment } from "@effect/sql/Statement"
import { Timestamp } from "@place-access/domain/shared"
import { DateTime, Effect, type Option, type ParseResult, Predicate, Schema } from "effect"
import { readerOf, UNREAD } from "./Reader.js"

/**
 * Converts between rows and values. `pg` returns timestamptz as Date, bigint and numeric as string, and arrays and
 * json(b) parsed, for a server and for the embedded database alike.
 */

/** A timestamptz column. */
export const At = Schema.transform(Schema.ValidDateFromSelf, Timestamp.Timestamp, {
  strict: true,
  decode: (date) => date.getTime(),
  encode: (millis) => dateOf(millis)
})

/** A timestamptz column that may be null. */
export const NullableAt = Schema.NullOr(At)

/** A bigint column or `count(*)` whose values fit a number. A value beyond 2^53 is a bug and fails. */
export const Bigint = Schema.transform(Schema.Union(Schema.String, Schema.Number), Schema.Int, {
  strict: true,
  decode: Number,
  encode: String
})

const dateOf = (time: number): Date => DateTime.toDateUtc(DateTime.unsafeMake(time))

/**
 * The beginning of the year 10000. From this year on, `toISOString` writes the year with a sign and six digits, which
 * the server does not read.
 */
const ISO_END = 253_402_300_800_000

/**
 * A timestamp as a parameter of a statement, also within arrays: `${times.map(Rows.at)}::timestamptz[]`. A time in
 * whole milliseconds from 1970 to 9999 becomes an ISO 8601 text. Every other time becomes a Date, which `pg` converts
 * to text.
 */
export const at = (time: number): string | Date =>
  time >= 0 && time < ISO_END && Number.isInteger(time) ? dateOf(time).toISOString() : dateOf(time)

/** A timestamp or null as a parameter of a statement. */
export const nullableAt = (time: Timestamp.Timestamp | null): string | Date | null => (time === null ? null : at(time))

/** A list of finite numbers and nulls as a parameter: `${Rows.numbers(fixes, (fix) => fix.lat)}::float8[]`. */
export const numbers = <A>(list: ReadonlyArray<A>, read: (one: A) => number | null): string => {
  let text = ""
  for (const one of list) text += `${text === "" ? "{" : ","}${read(one) ?? "NULL"}`
  return text === "" ? "{}" : `${text}}`
}

/**
 * Any value as a parameter for a jsonb column. Without this function, `pg` would send an array as an SQL array, and a
 * string without quotation marks.
 */
export const json = (value: unknown): string => JSON.stringify(value)

/** Replaces NUL characters: PostgreSQL cannot store them, and an answer of another server may contain them. */
export const storable = (text: string | null): string | null => text?.replaceAll("\0", "\uFFFD") ?? null

/** The columns of a row, for a SELECT or RETURNING: `a, b`, or with an alias `t.a, t.b`. */
export const columns = (row: { readonly fields: object }, alias?: string): Fragment =>
  unsafeFragment(
    Object.keys(row.fields)
      .map((name) => (alias === undefined ? name : `${alias}.${name}`))
      .join(", ")
  )

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError>

/** A decoder of the rows that a statement returned. */
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

/** Decodes every row: ``sql`SELECT …`.pipe(Rows.all(Row))``. Columns that `row` does not name are dropped. */
export const all = <A, I>(
  row: Schema.Schema<A, I>
): ((rows: Rows) => Effect.Effect<ReadonlyArray<A>, SqlError | ParseResult.ParseError>) => Effect.flatMap(read(row))

/** Decodes the first row. Returns none when there is no row. */
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
