import { Schema } from "effect"

/** How many an app may register. */
export const MAX = 20

export const MAX_LENGTH = 2_048

/**
 * Where the browser goes back to. Absolute, without fragment or credentials; https, or http on a loopback host, or a
 * private-use scheme in reverse domain notation (RFC 8252 §7.1). Compared character by character (Spec §5.5).
 */
export const RedirectUri = Schema.String.pipe(
  Schema.maxLength(MAX_LENGTH, { message: () => "must be at most 2,048 characters" }),
  Schema.filter((text) => isAllowed(text), {
    message: () =>
      "must be an absolute https address (http for localhost, or a private scheme such as com.example.app:) without fragment or credentials"
  }),
  Schema.brand("RedirectUri")
)
export type RedirectUri = typeof RedirectUri.Type

/** What `POST /v1/oauth/clients/{app_id}` registers: 1 to 20, without repeats. */
export const List = Schema.Array(RedirectUri).pipe(
  Schema.minItems(1, { message: () => "must name at least one address" }),
  Schema.maxItems(MAX, { message: () => `must name at most ${MAX} addresses` }),
  Schema.filter((uris) =>
    uris.flatMap((uri, index) =>
      uris.indexOf(uri) < index ? [{ path: [index], message: "is the same as an earlier one" }] : []
    )
  )
)
export type List = typeof List.Type

// Patterns and not a parser: parsers repair what they read ("https:/\\evil"), and each browser in its own way.
const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`
// A last label that begins with a digit would be read as an IPv4 address in some writing, or not at all.
const NAME = String.raw`(?:[A-Za-z0-9_-]+\.)*[A-Za-z][A-Za-z0-9_-]*`
const HOST = String.raw`(?:${NAME}|${BYTE}(?:\.${BYTE}){3}|\[(?<v6>[0-9A-Fa-f:]+)\])`
const PORT = String.raw`(?::(?<port>\d{1,5}))?`
const PATH = String.raw`(?:[A-Za-z0-9._~:/?@!$&'()*+,;=[\]-]|%[0-9A-Fa-f]{2})*`
const REST = `(?:[/?]${PATH})?`
const HTTPS = new RegExp(`^https://${HOST}${PORT}${REST}$`)
const LOOPBACK = new RegExp(String.raw`^http://(?:localhost|127\.0\.0\.1|\[::1\])${PORT}${REST}$`)
// What stands after two slashes is a host to some readers, so nothing there may look like a user.
const PRIVATE = new RegExp(String.raw`^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:(?://[A-Za-z0-9._-]*${REST}|/(?!/)${PATH})$`)

const isAllowed = (text: string): boolean => {
  const groups = (HTTPS.exec(text) ?? LOOPBACK.exec(text))?.groups
  if (groups === undefined) return PRIVATE.test(text)
  const { port, v6 } = groups
  return (port === undefined || isPort(Number(port))) && (v6 === undefined || isIpv6(v6))
}

const isPort = (port: number): boolean => port >= 1 && port <= 65_535

/** RFC 4291 §2.2 without the dotted form. */
const isIpv6 = (text: string): boolean => {
  const [head = "", tail, ...rest] = text.split("::")
  const groups = [head, tail ?? ""].flatMap((part) => (part === "" ? [] : part.split(":")))
  const complete = tail === undefined ? groups.length === 8 : groups.length < 8
  return rest.length === 0 && complete && groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))
}

/**
 * Whose address it is: scheme, host and port of a web address, the scheme of a private one. A reviewer approves origins; paths
 * on them are the developer's business.
 */
export const origin = (uri: RedirectUri): string => {
  const [, scheme = "", host = "", port] = /^(https?):\/\/(\[[^\]]*\]|[^/?:]*)(?::(\d+))?/.exec(uri) ?? []
  if (scheme === "") return uri.slice(0, uri.indexOf(":") + 1)
  const isDefault = port === undefined || Number(port) === (scheme === "https" ? 443 : 80)
  return `${scheme}://${host.toLowerCase()}${isDefault ? "" : `:${Number(port)}`}`
}

/** Adds query parameters; keeps those that are registered (RFC 6749 §3.1.2). */
export const withQuery = (uri: string, parameters: ReadonlyArray<readonly [string, string]>): string => {
  const query = parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")
  if (query === "") return uri
  return uri + (uri.includes("?") ? (/[?&]$/.test(uri) ? "" : "&") : "?") + query
}
