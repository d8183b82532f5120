import { HttpApiBuilder, type HttpMethod, type HttpRouter, type HttpServerResponse } from "@effect/platform"
import type { Shared } from "../../wire/toWire.js"
import { toWire } from "../../wire/toWire.js"
import type { WireError } from "../../wire/Errors.js"
import { Effect, type Layer } from "effect"

/** The route of a page, or of a form on a page. */
export interface PageRoute<R> {
  readonly method: Extract<HttpMethod.HttpMethod, "GET" | "POST">
  readonly path: `/${string}`
  readonly handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Shared | WireError, R>
}

const isPath = (text: string): text is PageRoute<never>["path"] => text.startsWith("/")

/** Paths are joined from settings, so this function checks at the start of the server what the compiler cannot. */
const routeOf = <R>(method: PageRoute<R>["method"], path: string, handler: PageRoute<R>["handler"]): PageRoute<R> => {
  if (!isPath(path)) throw new Error(`The path of a page must begin with "/": ${path}`)
  return { method, path, handler }
}

export const get = <R>(path: string, handler: PageRoute<R>["handler"]): PageRoute<R> => routeOf("GET", path, handler)

/**
 * The route of a form. The router does not interrupt the handler of a form, so the form takes effect even when the
 * person closes the tab.
 */
export const post = <R>(path: string, handler: PageRoute<R>["handler"]): PageRoute<R> => routeOf("POST", path, handler)

type Requirements<Route> = Route extends PageRoute<infer R> ? Exclude<R, HttpRouter.HttpRouter.Provided> : never

/** Adds the routes to the router that serves the API. */
export const layer = <Route extends PageRoute<unknown>>(
  routes: ReadonlyArray<Route>
): Layer.Layer<never, never, Requirements<Route>> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Requirements<Route>>()
      for (const { handler, method, path } of routes) {
        const provided = Effect.provide(toWire(handler), context) as Effect.Effect<
          HttpServerResponse.HttpServerResponse,
          WireError,
          HttpRouter.HttpRouter.Provided
        >
        yield* method === "GET" ? router.get(path, provided) : router.post(path, provided, { uninterruptible: true })
      }
    })
  )
