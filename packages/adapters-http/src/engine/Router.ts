import {
  type HttpApp,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse
} from "@effect/platform"
import { Chunk, Context, Effect, type Fiber, Option } from "effect"
import * as FindMyWay from "find-my-way-ts"
import * as Services from "./Services.js"

/**
 * A function that the router calls once for each route, at its first request or earlier. It returns a second function,
 * which the router calls for each request of the route, before the handler and in the request's fiber. When the second
 * function returns an effect, the effect runs instead of the handler.
 */
export type OnRoute<E> = (route: {
  readonly method: string
  readonly path: string
}) => (
  fiber: Pick<Fiber.RuntimeFiber<unknown, unknown>, "getFiberRef">,
  url: string
) => Effect.Effect<never, E> | undefined

/**
 * Runs the routes of `router`. The services of a route are put into the request's own context (`Services`), and
 * everything that does not depend on the request is prepared when the server starts. Routes are found with the
 * platform's own library, find-my-way-ts. Fails with `RouteNotFound`. The app begins uninterruptible; a handler can be
 * interrupted unless its route is declared uninterruptible.
 */
export const make = <E, R, E2>(
  router: HttpRouter.HttpRouter<E, R>,
  onRoute: OnRoute<E2>
): HttpApp.Default<E | E2 | HttpServerError.RouteNotFound, R> => {
  if (Chunk.isNonEmpty(router.mounts)) throw new Error("Routes are added one by one: nothing is mounted")
  const finder = FindMyWay.make<Served<E, R, E2>>()
  for (const route of router.routes) {
    const served = servedOf(route, onRoute)
    if (route.method === "*") finder.all(route.path, served)
    else finder.on(route.method, route.path, served)
  }
  return Effect.withFiberRuntime((fiber) => {
    const context = fiber.currentContext as Context.Context<never>
    const request = Context.unsafeGet(context, HttpServerRequest.HttpServerRequest)
    const { method, url } = request
    const result = finder.find(method, url) ?? (method === "HEAD" ? finder.find("GET", url) : undefined)
    if (result === undefined) return Effect.fail(new HttpServerError.RouteNotFound({ request }))
    const { answer, matched, route } = result.handler
    const instead = matched(fiber, url)
    if (instead !== undefined) return instead
    Services.put(context, HttpServerRequest.ParsedSearchParams.key, result.searchParams)
    Services.put(context, HttpRouter.RouteContext.key, {
      [HttpRouter.RouteContextTypeId]: HttpRouter.RouteContextTypeId,
      route,
      params: result.params
    } satisfies HttpRouter.RouteContext)
    return answer
  }) as HttpApp.Default<E | E2 | HttpServerError.RouteNotFound, R>
}

interface Served<E, R, E2> {
  readonly route: HttpRouter.Route<E, R>
  readonly matched: ReturnType<OnRoute<E2>>
  readonly answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
}

const servedOf = <E, R, E2>(route: HttpRouter.Route<E, R>, onRoute: OnRoute<E2>): Served<E, R, E2> => {
  if (Option.isSome(route.prefix)) throw new Error(`${route.path}: a route has no prefix`)
  const handler = Effect.flatMap(route.handler, (found) =>
    HttpServerResponse.isServerResponse(found) ? Effect.succeed(found) : HttpServerRespondable.toResponse(found)
  ) as Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  return { route, matched: onRoute(route), answer: route.uninterruptible ? handler : Effect.interruptible(handler) }
}
