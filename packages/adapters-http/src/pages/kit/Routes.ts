import {
  HttpApiBuilder,
  type HttpMethod,
  type HttpRouter,
  HttpServerRequest,
  type HttpServerResponse
} from "@effect/platform"
import type { Shared } from "../../wire/toWire.js"
import { toWire } from "../../wire/toWire.js"
import type { WireError } from "../../wire/Errors.js"
import { Effect, identity, type Layer } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import * as Credentials from "../../security/Credentials.js"
import * as ReturnTo from "./ReturnTo.js"

/** The route of a page, or of a form on a page. */
export interface PageRoute<R> {
  readonly method: Extract<HttpMethod.HttpMethod, "GET" | "POST">
  readonly path: `/${string}`
  readonly handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Shared | WireError, R>
}

const isPath = (text: string): text is PageRoute<never>["path"] => text.startsWith("/")

/**
 * Paths contain parts from the settings, so the compiler cannot check their form. This function checks it when the
 * server starts.
 */
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

/** The name of a notice in an address of this service to which an answer redirects. */
const NOTICE = /^\/(?!\/)[^?#]*\?(?:[^#]*&)?done=([a-z-]+)(?:[&#]|$)/

/**
 * Lets a page show a notice once after a form was posted. The answer to the form names the notice in the address of the
 * next page (`done`), and in a cookie that lasts for a minute. When the cookie does not name the same notice, this
 * function removes `done` from the address, so the page shows no notice. When the page shows the notice, this function
 * removes the cookie. So neither a reload nor a link makes a page say that something was done (decision accounts-24).
 */
const withNotice = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const options = yield* HttpOptions
    const expected = Credentials.notice(request, options)
    const url = ReturnTo.withNotice(request.url, (name) => name === expected)
    const asked = url === request.url ? request : request.modify({ url })
    const answer = yield* Effect.provideService(handler, HttpServerRequest.HttpServerRequest, asked)
    const next = NOTICE.exec(answer.headers["location"] ?? "")?.[1]
    if (next !== undefined) return Credentials.setNotice(answer, next, options)
    const isShown = expected !== undefined && url !== ReturnTo.withNotice(url, () => false)
    return isShown ? Credentials.clearNotice(answer, options) : answer
  })

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, WireError, R>

const added = <R>(
  routes: ReadonlyArray<PageRoute<unknown>>,
  wrap: (handler: Answer<unknown>) => Answer<unknown>
): Layer.Layer<never, never, R> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<R>()
      for (const { handler, method, path } of routes) {
        const provided = Effect.provide(wrap(toWire(handler)), context) as Answer<HttpRouter.HttpRouter.Provided>
        yield* method === "GET" ? router.get(path, provided) : router.post(path, provided, { uninterruptible: true })
      }
    })
  )

/** Adds the routes to the router that serves the API. */
export const layer = <Route extends PageRoute<unknown>>(
  routes: ReadonlyArray<Route>
): Layer.Layer<never, never, Requirements<Route>> => added<Requirements<Route>>(routes, identity)

/** Adds the routes of pages that show notices. */
export const pages = <Route extends PageRoute<unknown>>(
  routes: ReadonlyArray<Route>
): Layer.Layer<never, never, Requirements<Route> | HttpOptions> =>
  added<Requirements<Route> | HttpOptions>(routes, withNotice)
