import { HttpApi, type HttpRouter } from "@effect/platform"
import { Chunk } from "effect"

/** Methods of the routes whose path fits, for `Allow`; undefined when no route does. */
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

/** The router minds neither an address before the path nor a slash too many. */
const asRouted = (url: string): string =>
  url
    .replace(/^https?:\/\/[^/?#]*/i, "")
    .replace(/[?#].*$/s, "")
    .replace(/\/{2,}/g, "/")
    .replace(/(?<=.)\/$/, "")

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
      .join("/")}$`,
    // Nor capitals.
    "i"
  )

/** `GET /v1/rules/place/{id}` */
export const label = (method: string, path: string): string => `${method} ${braced(path)}`

const patterns = new Map<string, string>()
/** `path` is a route's, of which there are a few hundred: each is written anew once, and not with every request. */
const braced = (path: string): string => {
  const known = patterns.get(path)
  if (known !== undefined) return known
  const made = path.replace(/:(\w+)\??/g, "{$1}")
  patterns.set(path, made)
  return made
}

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"
/** What pages read. */
export const FORMS: ReadonlySet<string> = new Set([FORM_TYPE])

/** The content types that each endpoint declares, by `label`; one that declares none reads its body by itself. */
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
