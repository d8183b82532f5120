import { Timestamp } from "@place-access/domain/shared"
import { Schema, SchemaAST } from "effect"
import { withPlus } from "./Query.js"

/**
 * This module has the parts from which schemas of request and response bodies are made. Names of fields are snake_case,
 * except for a few such as `nextCursor` and `asOf`. The service ignores unknown fields of a request.
 */

/** A request body or a set of query parameters. Decoding reports every fault, not only the first. */
export const request = <Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> =>
  Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })

/** A time. The service writes ISO 8601 in UTC with milliseconds, and reads strict ISO 8601 with a zone. */
export const At = Timestamp.FromIso
/**
 * A time with a description. The description is in `jsonSchema`, because the generator of the OpenAPI document
 * ignores the annotation `description` of `At`.
 */
export const at = (description: string) =>
  At.annotations({ jsonSchema: { type: "string", format: "date-time", description } })
/**
 * Like `At`, for a time in a query. When a client does not encode the plus of a zone such as `+02:00`, the service
 * receives a blank instead. A blank before a zone cannot mean anything else, so the plus is put back.
 */
export const QueryAt = Schema.transform(Schema.String, Timestamp.FromIso, {
  strict: true,
  decode: withPlus,
  encode: (text) => text
}).annotations({ identifier: "Timestamp", jsonSchema: { type: "string", format: "date-time" } })
export const NullableAt = Schema.NullOr(Timestamp.FromIso)

/** A field that may be left out or be null; both mean "not given". */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(schema, { nullable: true, exact: true })

/**
 * A list whose entries the handler checks one by one. The document describes the list as a list of `entry`, and the
 * handler gets the list unchanged. `Schema.Array` would copy every entry, which blocks all other requests for 100 ms
 * when an upload has 8 MiB.
 */
export const entries = (entry: Schema.Schema<unknown>): Schema.Schema<ReadonlyArray<unknown>> =>
  Schema.declare((sent): sent is ReadonlyArray<unknown> => Array.isArray(sent), {
    title: "an array",
    [SchemaAST.SurrogateAnnotationId]: Schema.Array(entry).ast
  })

/**
 * A list in a request with at most `most` entries. The length is checked before the entries (`engine/ListLengths.ts`),
 * and every list whose entries can be wrong needs a limit.
 */
export const listOf = <A, I, R>(
  entry: Schema.Schema<A, I, R>,
  most: number
): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>, R> =>
  Schema.Array(entry).pipe(Schema.maxItems(most, { message: () => `must be at most ${most}` }))

/** The secret in the address of a link that the service has mailed. */
export const LinkToken = Schema.propertySignature(Schema.String).annotations({
  description: "The end of the mailed link"
})

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

/** Like `queryInt`, but a parameter that is left out gets the value `fallback`. */
export const queryIntOr = (from: number, to: number, fallback: number) =>
  Schema.optionalWith(
    queryInt(from, to).annotations({ jsonSchema: { type: "integer", minimum: from, maximum: to, default: fallback } }),
    { default: () => fallback, exact: true }
  )

/** The parameters `limit` and `cursor` of a list that can grow. */
export const paging = (fallback: number, max: number) => ({
  limit: queryIntOr(1, max, fallback).annotations({ description: "The most entries of one page" }),
  cursor: Schema.optionalWith(
    // A text with more characters gets the same refusal as any other text that is not a cursor.
    Schema.String.pipe(
      Schema.maxLength(2_048, { message: () => "was not issued for this list; start again without it" }),
      Schema.annotations({ description: "`nextCursor` of the page before; left out: the first page" })
    ),
    { exact: true }
  )
})
