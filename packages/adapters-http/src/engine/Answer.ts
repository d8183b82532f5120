import { type HttpApiEndpoint, HttpApiSchema, HttpServerResponse } from "@effect/platform"
import { Effect, Either, ParseResult, type Schema } from "effect"
import * as Json from "../wire/Json.js"

type Response = HttpServerResponse.HttpServerResponse

/**
 * Makes the response of an endpoint from the value that its handler returns. When the endpoint declares several
 * answers, the first answer whose schema the value fits is sent. A value that fits no schema is a bug, hence a defect.
 */
export const writer = ({
  successSchema
}: HttpApiEndpoint.HttpApiEndpoint.AnyWithProps): ((value: unknown) => Effect.Effect<Response>) => {
  const declared = new Set<Schema.Schema.Any>()
  HttpApiSchema.deunionize(declared, successSchema)
  const statuses = new Set(Array.from(declared, ({ ast }) => HttpApiSchema.getStatusSuccessAST(ast)))
  const isOneJson = statuses.size === 1 && Array.from(declared).every(({ ast }) => !HttpApiSchema.isVoid(ast))
  const [first, ...others] = (isOneJson ? [successSchema] : Array.from(declared)).map(write)
  if (first === undefined) return () => Effect.dieMessage("The endpoint declares no answer")
  const all = others.reduce((one, next) => (value) => Effect.catchAll(one(value), () => next(value)), first)
  return (value) => Effect.orDie(all(value))
}

const write = (schema: Schema.Schema.Any): ((value: unknown) => Effect.Effect<Response, ParseResult.ParseError>) => {
  const status = HttpApiSchema.getStatusSuccessAST(schema.ast)
  const empty = HttpServerResponse.empty({ status })
  const encode = ParseResult.encodeUnknown(schema as Schema.Schema<unknown>)
  const send = HttpApiSchema.isVoid(schema.ast) ? () => empty : (encoded: unknown) => Json.response(encoded, { status })
  return (value) => {
    const encoded = encode(value)
    if (Either.isEither(encoded) && Either.isRight(encoded)) return Effect.succeed(send(encoded.right))
    return Effect.mapBoth(encoded, { onFailure: ParseResult.parseError, onSuccess: send })
  }
}
