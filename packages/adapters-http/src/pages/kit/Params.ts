import { HttpRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import * as Errors from "../../wire/Errors.js"

/** A path parameter of the domain's type; what cannot be one exists as little as an unknown one. */
export const param = <A>(
  name: string,
  schema: Schema.Schema<A, string>,
  what: string
): Effect.Effect<A, typeof Errors.NotFound.Type, HttpRouter.RouteContext> =>
  Effect.flatMap(HttpRouter.params, (params) =>
    Effect.mapError(Schema.decodeUnknown(schema)(params[name]), () => Errors.notFound(what))
  )
