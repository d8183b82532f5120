import {
  type HttpApp,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse
} from "@effect/platform"
import { Chunk, Context, Effect, Option } from "effect"
import * as FindMyWay from "find-my-way-ts"
import * as Errors from "../wire/Errors.js"
import * as CurrentRequest from "./CurrentRequest.js"
import * as Routes from "./Routes.js"
import * as Services from "./Services.js"

/** What is said of routes, by `Routes.label`. */
export interface Known {
  readonly contentTypes: ReadonlyMap<string, ReadonlySet<string>>
  readonly deprecations: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/**
 * The routes of `router`, found as the platform finds them and run in a third of the steps: the request's services change in place
 * (`Services`), and what is known of a route is worked out once. Refuses addresses that no database can hold, and notes what the route
 * reads and what is said of it. Fails with `RouteNotFound`. Begins uninterruptible; a handler can be interrupted unless its route says no.
 */
export const make = <E, R>(
  router: HttpRouter.HttpRouter<E, R>,
  known: Known
): HttpApp.Default<E | Errors.WireError | HttpServerError.RouteNotFound, R> => {
  if (Chunk.isNonEmpty(router.mounts)) throw new Error("Routes are added one by one: nothing is mounted")
  const finder = FindMyWay.make<Served<E, R>>()
  for (const route of router.routes) {
    const found = knownOf(route, known)
    if (route.method === "*") finder.all(route.path, found)
    else finder.on(route.method, route.path, found)
  }
  return Effect.withFiberRuntime((fiber) => {
    const context = fiber.currentContext as Context.Context<never>
    const request = Context.unsafeGet(context, HttpServerRequest.HttpServerRequest)
    const { method, url } = request
    const result = finder.find(method, url) ?? (method === "HEAD" ? finder.find("GET", url) : undefined)
    if (result === undefined) return Effect.fail(new HttpServerError.RouteNotFound({ request }))
    const { answer, deprecation, path, reads, route } = result.handler
    const cell = fiber.getFiberRef(CurrentRequest.ref)
    cell.endpoint = Routes.label(method, path)
    cell.reads = reads
    cell.deprecation = deprecation
    if (url.includes("%00")) return Effect.fail(Errors.invalidRequest("The address holds a NUL character"))
    Services.put(context, HttpServerRequest.ParsedSearchParams.key, result.searchParams)
    Services.put(context, HttpRouter.RouteContext.key, {
      [HttpRouter.RouteContextTypeId]: HttpRouter.RouteContextTypeId,
      route,
      params: result.params
    } satisfies HttpRouter.RouteContext)
    return answer
  }) as HttpApp.Default<E | Errors.WireError | HttpServerError.RouteNotFound, R>
}

interface Served<E, R> {
  readonly route: HttpRouter.Route<E, R>
  readonly path: string
  readonly reads: ReadonlySet<string>
  readonly deprecation: Readonly<Record<string, string>> | undefined
  readonly answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
}

const knownOf = <E, R>(route: HttpRouter.Route<E, R>, { contentTypes, deprecations }: Known): Served<E, R> => {
  if (Option.isSome(route.prefix)) throw new Error(`${route.path}: a route has no prefix`)
  const label = Routes.label(route.method, route.path)
  const handler = Effect.flatMap(route.handler, (found) =>
    HttpServerResponse.isServerResponse(found) ? Effect.succeed(found) : HttpServerRespondable.toResponse(found)
  ) as Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  return {
    route,
    path: route.path,
    reads: contentTypes.get(label) ?? Routes.FORMS,
    deprecation: deprecations.get(label),
    answer: route.uninterruptible ? handler : Effect.interruptible(handler)
  }
}
