import { HttpServerRequest } from "@effect/platform"
import { Conflict, OUTDATED_FORM } from "@place-access/domain/shared"
import { Effect, Either, Schema } from "effect"
import * as Decoder from "../../engine/Decoder.js"
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

/**
 * A form may have at most this number of fields. All our forms have fewer fields. Without this limit, a body of 1 MiB
 * could have half a million fields.
 */
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

/** The query of the page's address, which can be read like a posted form. */
export const query: Effect.Effect<Form, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ url }) => {
    const fields = new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "")
    return { value: (name) => fields.get(name) ?? "", all: (name) => fields.getAll(name) }
  }
)

/**
 * Decodes the posted fields into the domain's types, or returns the problems, at most `Issues.MAX`. The page shows the
 * problems beside the typed values.
 */
export const decode = <A, I>(
  schema: Schema.Schema<A, I>,
  input: unknown
): Either.Either<A, ReadonlyArray<Issues.FieldProblem>> =>
  Either.mapLeft(Effect.runSync(Effect.either(Decoder.make(schema, { errors: "all" })(input))), (issue) =>
    Issues.problems(Decoder.issues(issue)).slice(0, Issues.MAX)
  )

export const shown = (form: Form, problems: Shown["problems"]): Shown => ({
  values: form.value,
  problems
})

/**
 * Whether the domain refused the form because somebody changed the app, place or other subject of the form after the
 * form was opened (decision apps-11).
 */
export const isOutdated = (error: unknown): boolean => error instanceof Conflict && error.reason === OUTDATED_FORM

const typedNumber =
  (read: (text: string) => number) =>
  <A, I extends number>(schema: Schema.Schema<A, I>) =>
    Schema.compose(
      Schema.transform(Schema.String, Schema.Number, {
        strict: true,
        decode: (text) => read(text.trim()),
        encode: String
      }),
      schema,
      { strict: false }
    )

const decimal = (text: string): number => {
  const plain = text.replace(",", ".")
  // A form shows a number that is almost 0 as `5e-7`, because `String` writes it so. The form must accept it again.
  return /^[-+]?\d{1,9}(?:\.\d{1,20})?(?:e-\d{1,3})?$/.test(plain) ? globalThis.Number(plain) : globalThis.Number.NaN
}

/**
 * A number as people type it, with blanks around it or with a decimal comma. The comma always begins a fraction, so
 * `1,000` means 1.
 */
export const Number = typedNumber(decimal)

/**
 * Groups of three digits, with a sign that people put between thousands. All groups of one number must have the same
 * sign between them.
 */
export const GROUPS = /^[1-9]\d{0,2}([,. \u00a0\u2009\u202f'’])\d{3}(?:\1\d{3})*$/

const digits = (text: string): string => text.replace(/\D/g, "")

/**
 * A whole number as people type it: `10,000`, `10.000` and `10 000` are ten thousand. The schema `Number` would read
 * ten from the first two, because for that schema the comma and the point begin a fraction, and it would refuse the
 * third.
 */
export const WholeNumber = typedNumber((text) => {
  const plain = GROUPS.test(text) ? digits(text) : text
  return /^[-+]?\d{1,9}$/.test(plain) ? globalThis.Number(plain) : globalThis.Number.NaN
})

/**
 * A number of at least 100 that may have a fraction, such as a radius. `1,000` can only mean a thousand, because 1
 * would be too small. In `150.125`, which has six digits, the point begins a fraction.
 */
export const NumberFrom100 = typedNumber((text) =>
  decimal(GROUPS.test(text) && digits(text).length < 6 ? digits(text) : text)
)

/** A field that may be empty: an empty text becomes null. */
export const OrEmpty = <A>(schema: Schema.Schema<A, string>) =>
  Schema.transform(Schema.Union(Schema.Literal(""), schema), Schema.Union(Schema.Null, Schema.typeSchema(schema)), {
    strict: false,
    decode: (value) => (value === "" ? null : value),
    encode: (value) => value ?? ""
  })
