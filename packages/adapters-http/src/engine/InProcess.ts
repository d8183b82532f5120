import { type HttpApp, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { type Context, Effect, FiberRef } from "effect"
import type { IncomingMessage } from "node:http"
import { NodeRequest } from "./NodeRequest.js"
import * as Services from "./Services.js"

/**
 * Answers one request in the fiber of the caller. (`NodeServer` starts a new fiber for each request.) The simulation
 * uses this function, because it has requests and no sockets. `context`: the services of the server.
 */
export const answer = <E, R>(
  app: HttpApp.Default<E, R>,
  context: Context.Context<Exclude<R, HttpServerRequest.HttpServerRequest>>,
  incoming: IncomingMessage
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> =>
  Effect.suspend(() => {
    const own = Services.ofRequest(context as Context.Context<never>)
    Services.put(own, HttpServerRequest.HttpServerRequest.key, new NodeRequest(incoming))
    const whole = Effect.uninterruptible(app) as Effect.Effect<HttpServerResponse.HttpServerResponse, E>
    return Effect.locally(whole, FiberRef.currentContext, own)
  })
