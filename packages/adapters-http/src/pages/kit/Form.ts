import { HttpServerRequest } from "@effect/platform"
import { Effect, Either, ParseResult, Schema } from "effect"
import * as Errors from "../../wire/Errors.js"
import * as Issues from "../../wire/Issues.js"
import { textsIn } from "../../languages/index.js"
import type { Shown } from "./Fields.js"

/** The fields of a posted form. */
export interface Form {
  /** The first value of a field; "" when there is none. */
  readonly value: (name: string) => string
  /** All values of a field, in order. */
  readonly all: (name: string) => ReadonlyArray<string>
}

/** The most fields that are read, more than any of our forms has. A body of 1 MiB could hold half a million. */
const MAX_FIELDS = 2_000

export const read: Effect.Effect<Form, Errors.WireError, HttpServerRequest.HttpServerRequest> = Effect.gen(
  function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const text = yield* Effect.orDie(request.text)
    const fields = new URLSearchParams(text)
    if (fields.size > MAX_FIELDS)
      return yield* Effect.fail(Errors.invalidRequest(textsIn("en").frame.messages.tooManyFields))
    return { value: (name) => fields.get(name) ?? "", all: (name) => fields.getAll(name) }
  }
)

/** The query of the address, in the same shape as a posted form. */
export const query: Effect.Effect<Form, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ url }) => {
    const fields = new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "")
    return { value: (name) => fields.get(name) ?? "", all: (name) => fields.getAll(name) }
  }
)

/**
 * Decodes the posted fields into the domain's types, or reports every problem, for the form to show beside the typed
 * values.
 */
export const decode = <A, I>(
  schema: Schema.Schema<A, I>,
  input: unknown
): Either.Either<A, ReadonlyArray<Issues.FieldProblem>> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema, { errors: "all" })(input), (error) =>
    Issues.problems(ParseResult.ArrayFormatter.formatErrorSync(error))
  )

export const shown = (form: Form, problems: Shown["problems"]): Shown => ({
  values: form.value,
  problems
})

/** A number as people type it, with blanks around it or with a decimal comma. */
export const Number = <A, I extends number>(schema: Schema.Schema<A, I>) =>
  Schema.compose(
    Schema.transform(Schema.String, Schema.Number, {
      strict: true,
      decode: (text) => {
        const plain = text.trim().replace(",", ".")
        return /^[-+]?\d{1,9}(?:\.\d{1,20})?$/.test(plain) ? globalThis.Number(plain) : globalThis.Number.NaN
      },
      encode: String
    }),
    schema,
    { strict: false }
  )

/** A field that may be empty: an empty text becomes null. */
export const OrEmpty = <A>(schema: Schema.Schema<A, string>) =>
  Schema.transform(Schema.Union(Schema.Literal(""), schema), Schema.Union(Schema.Null, Schema.typeSchema(schema)), {
    strict: false,
    decode: (value) => (value === "" ? null : value),
    encode: (value) => value ?? ""
  })
