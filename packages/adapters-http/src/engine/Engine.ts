import type { HttpApiBuilder, HttpApp, HttpRouter, HttpServerError, HttpServerRequest } from "@effect/platform"
import { Context, Effect } from "effect"
import type { RequestListener } from "node:http"
import * as GroupRoutes from "./GroupRoutes.js"
import * as NodeServer from "./NodeServer.js"
import * as Router from "./Router.js"

/**
 * The parts that run the contract: they answer Node's requests, find routes, and call the handlers of a group of
 * endpoints.
 */
export interface EngineParts {
  readonly listener: <E, R>(
    app: HttpApp.Default<E, R>
  ) => Effect.Effect<RequestListener, never, Exclude<R, HttpServerRequest.HttpServerRequest>>
  readonly routed: <E, R, E2>(
    router: HttpRouter.HttpRouter<E, R>,
    onRoute: Router.OnRoute<E2>
  ) => Effect.Effect<HttpApp.Default<E | E2 | HttpServerError.RouteNotFound, R>>
  readonly group: typeof HttpApiBuilder.group
}

/**
 * The service with the parts that run the contract. By default these are the parts of this folder. With `Stock.layer`,
 * the parts of `@effect/platform` run the same contract instead.
 */
export class Engine extends Context.Reference<Engine>()("@place-access/adapters-http/engine/Engine", {
  defaultValue: (): EngineParts => ({
    listener: NodeServer.listener,
    routed: (router, onRoute) => Effect.sync(() => Router.make(router, onRoute)),
    group: GroupRoutes.group
  })
}) {}

/** Answers Node's requests with `app`. */
export const listener: EngineParts["listener"] = (app) => Effect.flatMap(Engine, (parts) => parts.listener(app))

/** The `HttpApp` that runs the routes of `router`, and calls `onRoute` for each of them (`Router.OnRoute`). */
export const routed: EngineParts["routed"] = (router, onRoute) =>
  Effect.flatMap(Engine, (parts) => parts.routed(router, onRoute))
