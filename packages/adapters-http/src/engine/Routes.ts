import { HttpApi, type HttpRouter } from "@effect/platform"
import { Chunk } from "effect"

/**
 * A function from a URL to the methods of the routes whose path fits, for the `Allow` header. It returns undefined when
 * no route fits.
 */
export const allowed = (
  routes: HttpRouter.HttpRouter<unknown, unknown>["routes"]
): ((url: string) => string | undefined) => {
  const patterns = Chunk.toReadonlyArray(routes).map(({ method, path }) => ({ method, pattern: patternOf(path) }))
  return (url) => {
    const path = asRouted(url)
    const methods = new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => String(method)))
    if (methods.size === 0) return undefined
    if (methods.has("GET")) methods.add("HEAD")
    return Array.from(methods).sort().join(", ")
  }
}

/**
 * The path as the router reads it: decoded, without an origin, without the query (which may also begin with a
 * semicolon), without repeated slashes, and without a slash at its end.
 */
const asRouted = (url: string): string =>
  decoded(url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#;].*$/s, ""))
    .replace(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "")

const decoded = (path: string): string => {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
      .join("/")}$`,
    // The router ignores case.
    "i"
  )

/** The name of a route, such as `GET /v1/rules/place/{id}`. */
export const label = (method: string, path: string): string => `${method} ${braced(path)}`

const patterns = new Map<string, string>()
/**
 * A route's path with braces. The paths are cached: this function runs for every request, and the cache stays small,
 * because there are only a few hundred routes.
 */
const braced = (path: string): string => {
  const known = patterns.get(path)
  if (known !== undefined) return known
  const made = path.replace(/:(\w+)\??/g, "{$1}")
  patterns.set(path, made)
  return made
}

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"
/**
 * The content types of the forms of pages. Forms that upload files have another type: `Upload` reads their bodies and
 * does not use this set.
 */
export const FORMS: ReadonlySet<string> = new Set([FORM_TYPE])

/**
 * The content types of the body that each endpoint declares, by `label`. An endpoint that declares no body may still
 * read a body by itself (`handleRaw`), so it accepts JSON and forms.
 */
export const contentTypes = (api: HttpApi.HttpApi.Any): ReadonlyMap<string, ReadonlySet<string>> => {
  const types = new Map<string, ReadonlySet<string>>()
  HttpApi.reflect(api as HttpApi.HttpApi.AnyWithProps, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, payloads }) => {
      const declared = payloads.size > 0 ? payloads.keys() : [JSON_TYPE, FORM_TYPE]
      types.set(label(endpoint.method, endpoint.path), new Set(declared))
    }
  })
  return types
}
