import type { HttpApiEndpoint, HttpApiGroup, HttpRouter, HttpServerResponse } from "@effect/platform"
import { Context, type Effect } from "effect"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpRouter.HttpRouter.Provided
export type HandledRequest = Effect.Effect<Response, unknown, Request>

export interface Wrapped {
  readonly endpoint: HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
  /** The annotations of the endpoint, which override the annotations of its group. */
  readonly annotations: Context.Context<never>
}

/**
 * Wraps the work that an endpoint does after its guards: reading the body, running the handler, and encoding the
 * answer. The function is called once for each endpoint when the server starts. It returns the wrapper, or undefined to
 * leave the endpoint unwrapped. `own`: the request's services. `run`: the work.
 */
export type Around = (
  wrapped: Wrapped
) => ((own: Context.Context<never>, run: HandledRequest) => HandledRequest) | undefined

/** Wraps no endpoint, unless a layer provides another function. */
export class AroundEndpoints extends Context.Reference<AroundEndpoints>()("@place-access/adapters-http/engine/Around", {
  defaultValue: (): Around => () => undefined
}) {}

/** The endpoint, with its own annotations and the annotations of `group`. */
export const wrapped = (
  group: HttpApiGroup.HttpApiGroup.AnyWithProps,
  endpoint: HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
): Wrapped => ({ endpoint, annotations: Context.merge(group.annotations, endpoint.annotations) })
