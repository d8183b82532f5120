import { HttpRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import * as Errors from "../../wire/Errors.js"

/** A path parameter in the domain's type. For a text that cannot be an id, the answer is 404, as for an unknown id. */
export const param = <A>(
  name: string,
  schema: Schema.Schema<A, string>,
  what: string
): Effect.Effect<A, typeof Errors.NotFound.Type, HttpRouter.RouteContext> =>
  Effect.flatMap(HttpRouter.params, (params) =>
    Effect.mapError(Schema.decodeUnknown(schema)(params[name]), () => Errors.notFound(what))
  )
