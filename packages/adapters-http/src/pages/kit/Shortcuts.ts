import { HttpRouter, HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { seeOther } from "./Page.js"
import * as Routes from "./Routes.js"

/**
 * Redirects from addresses that have no page. People come to such an address when they cut the end off an address, or
 * reload an address to which a form was posted. Each of these addresses is the beginning of a route's path. It
 * redirects to the nearest page above it: the longest shorter beginning that has a page, or else the front page. The
 * first dropped part of the path becomes the fragment, because a page often has a section with this name; a parameter
 * such as an id does not become the fragment. The query stays, because after a sign-in it says that the service has not
 * done what the form asked for (decision accounts-17).
 */
export const routes = (
  all: ReadonlyArray<Routes.PageRoute<unknown>>
): ReadonlyArray<Routes.PageRoute<HttpRouter.RouteContext | HttpServerRequest.HttpServerRequest>> => {
  const pages = new Set(all.filter(({ method }) => method === "GET").map(({ path }) => path))
  const beginnings = new Set(all.flatMap(({ path }) => beginningsOf(path)))
  return [...beginnings]
    .filter((path) => !pages.has(path))
    .map((path) => {
      const above = beginningsOf(path).findLast((one) => pages.has(one)) ?? "/"
      const cut = path.slice(above === "/" ? 0 : above.length).split("/")[1] ?? ""
      const fragment = cut.startsWith(":") ? "" : `#${cut}`
      return Routes.get(
        path,
        Effect.zipWith(HttpRouter.params, HttpServerRequest.HttpServerRequest, (params, { url }) =>
          seeOther(`${filled(above, params)}${/\?[^#]*/.exec(url)?.[0] ?? ""}${fragment}`)
        )
      )
    })
}

/** The beginnings of a path: `/a`, `/a/b` and `/a/b/:c` of `/a/b/:c`. */
const beginningsOf = (path: string): ReadonlyArray<`/${string}`> => {
  const parts = path.split("/").slice(1)
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}` as const)
}

const filled = (path: string, params: Readonly<Record<string, string | undefined>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
