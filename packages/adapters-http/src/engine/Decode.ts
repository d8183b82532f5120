import { type HttpApiEndpoint, HttpApiError, HttpServerRequest, UrlParams } from "@effect/platform"
import { Context, Effect, Either, Option, type ParseResult, type Schema } from "effect"
import * as Decoder from "./Decoder.js"

type Next = (decoded: unknown) => Effect.Effect<unknown, unknown>

/**
 * Decodes a part of a request and passes the value on to `next`. When the endpoint declares no such part, `next` gets
 * undefined.
 */
export const part = (schema: Option.Option<Schema.Schema.All>): ((value: unknown, next: Next) => ReturnType<Next>) => {
  if (Option.isNone(schema)) return (_, next) => next(undefined)
  const decode = Decoder.make(schema.value as Schema.Schema<unknown>)
  return (value, next) => {
    const decoded = decode(value)
    // The result of most decoding is there immediately, without an effect. Such a result is passed on directly, which
    // saves the fiber a step.
    if (Either.isEither(decoded) && Either.isRight(decoded)) return next(decoded.right)
    return Effect.matchEffect(decoded, { onFailure: refuse, onSuccess: next })
  }
}

const refuse = (issue: ParseResult.ParseIssue): Effect.Effect<never, HttpApiError.HttpApiDecodeError> =>
  // The platform would also make one text of the whole tree of issues. Nobody reads this text.
  Effect.fail(new HttpApiError.HttpApiDecodeError({ issues: Decoder.issues(issue), message: "" }))

/**
 * Reads and decodes the body, and passes the value on to `next`: undefined when the endpoint declares no body. `own`:
 * the request's services.
 */
export const payload = ({
  payloadSchema
}: HttpApiEndpoint.HttpApiEndpoint.AnyWithProps): ((
  own: Context.Context<never>,
  next: Next
) => Effect.Effect<unknown, unknown>) => {
  if (Option.isNone(payloadSchema)) return (_, next) => next(undefined)
  const decode = part(payloadSchema)
  return (own, next) => Effect.flatMap(body(own), (sent) => decode(sent, next))
}

/**
 * Reads the body as a form or as JSON, by its content type. For GET and HEAD, which have no body, returns the query of
 * the URL instead. The edge refuses content types that the endpoint does not declare (`Body.acceptable`).
 */
const body = (own: Context.Context<never>): Effect.Effect<unknown> => {
  const request = Context.unsafeGet(own, HttpServerRequest.HttpServerRequest)
  if (request.method === "GET" || request.method === "HEAD") {
    return Effect.succeed(Context.unsafeGet(own, HttpServerRequest.ParsedSearchParams))
  }
  return (request.headers["content-type"] ?? "").toLowerCase().includes("x-www-form-urlencoded")
    ? Effect.map(Effect.orDie(request.urlParamsBody), UrlParams.toRecord)
    : Effect.orDie(request.json)
}
