import { Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"
import { withPlus } from "./Query.js"

/** Building blocks of request and response bodies. Ours are snake_case; unknown fields of a request are ignored. */

/** A request body or a set of query parameters: every fault is reported, not the first alone. */
export const request = <Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> =>
  Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })

/** ISO 8601 UTC with milliseconds out, strict ISO 8601 with a zone in. */
export const At = Timestamp.FromIso
/** `At` in a query. A plus that nobody encoded arrives as a blank, and where a zone begins it cannot have been anything else. */
export const QueryAt = Schema.transform(Schema.String, Timestamp.FromIso, {
  strict: true,
  decode: withPlus,
  encode: (text) => text
}).annotations({ identifier: "Timestamp", jsonSchema: { type: "string", format: "date-time" } })
export const NullableAt = Schema.NullOr(Timestamp.FromIso)

/** A field that may be left out or null, both meaning "not given". */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(schema, { nullable: true, exact: true })

/** A whole number in a query parameter, such as `?limit=50`. */
export const queryInt = (from: number, to: number) =>
  Schema.transform(
    Schema.String.pipe(
      Schema.filter((text) => /^-?\d{1,10}$/.test(text) && Number(text) >= from && Number(text) <= to, {
        message: () => `must be a whole number from ${from} to ${to}`
      })
    ),
    Schema.Number,
    { strict: true, decode: Number, encode: String }
  ).annotations({ jsonSchema: { type: "integer", minimum: from, maximum: to } })

/** As `queryInt`, with a value for when it is left out. */
export const queryIntOr = (from: number, to: number, fallback: number) =>
  Schema.optionalWith(
    queryInt(from, to).annotations({ jsonSchema: { type: "integer", minimum: from, maximum: to, default: fallback } }),
    { default: () => fallback, exact: true }
  )

/** `limit` and `cursor` of a list that can grow. */
export const paging = (fallback: number, max: number) => ({
  limit: queryIntOr(1, max, fallback).annotations({ description: "How many at most" }),
  cursor: Schema.optionalWith(
    // One that is so long is refused as any other that is none.
    Schema.String.pipe(
      Schema.maxLength(2_048, { message: () => "was not issued for this list; start again without it" }),
      Schema.annotations({ description: "`nextCursor` of the page before; left out: the first page" })
    ),
    { exact: true }
  )
})
