// The addresses to which a browser returns after a consent (decision apps-6).
import { Schema } from "effect"
import { brand } from "../shared/Errors.js"

/** The maximum number of redirect URIs of an app. */
export const MAX = 20

export const MAX_LENGTH = 2_048

/**
 * The address to which the browser returns after a consent: https, http on a loopback host, or a private scheme in
 * reverse domain notation (RFC 8252 §7.1), without fragment and credentials. Two redirect URIs are compared character
 * by character (Spec §5.5).
 */
export const RedirectUri = Schema.String.pipe(
  Schema.maxLength(MAX_LENGTH, { message: () => "must be at most 2,048 characters" }),
  Schema.filter((text) => isAllowed(text), {
    message: () =>
      "must be an absolute https address (http for localhost, or a private scheme such as com.example.app:) without fragment or credentials"
  }),
  brand("RedirectUri")
)
export type RedirectUri = typeof RedirectUri.Type

/**
 * A parameter that the service adds when the browser returns. RFC 6749 §3.1 allows each parameter only once. If a
 * redirect URI had a `state` too, an app that reads the first `state` would not read the answer's `state` (decision
 * apps-6).
 */
const ANSWER_PARAMETER = /^[^?]*\?(?:.*&)?(?:code|state|iss|error|error_description|error_uri)(?:[=&]|$)/
const withPlainLetters = (uri: string) =>
  uri.replace(/%([4-7].)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

/**
 * The redirect URIs in the body of `POST /v1/oauth/clients/{app_id}`: 1 to 20 URIs without repeats, and without
 * parameters that the service adds itself.
 */
export const List = Schema.Array(
  RedirectUri.pipe(
    Schema.filter((uri) => !ANSWER_PARAMETER.test(withPlainLetters(uri)), {
      message: () => "must not have code, state, iss, error or error_… in its query: we add them"
    })
  )
).pipe(
  Schema.minItems(1, { message: () => "must name at least one address" }),
  Schema.maxItems(MAX, { message: () => `must name at most ${MAX} addresses` }),
  Schema.filter((uris) =>
    uris.flatMap((uri, index) =>
      uris.indexOf(uri) < index ? [{ path: [index], message: "is the same as an earlier one" }] : []
    )
  )
)
export type List = typeof List.Type

// These patterns check the text itself, and no URL parser reads it first. A URL parser would accept a malformed text
// such as "https:/\\evil" and repair it, and the browser might repair it in another way and go to another host.
const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`
// The last label of a host name must begin with a letter: a name that ends in a label such as `1` could be read as an
// IPv4 address.
const NAME = String.raw`(?:[A-Za-z0-9_-]+\.)*[A-Za-z][A-Za-z0-9_-]*`
const HOST = String.raw`(?:${NAME}|${BYTE}(?:\.${BYTE}){3}|\[(?<v6>[0-9A-Fa-f:]+)\])`
const PORT = String.raw`(?::(?<port>\d{1,5}))?`
const PATH = String.raw`(?:[A-Za-z0-9._~:/?@!$&'()*+,;=[\]-]|%[0-9A-Fa-f]{2})*`
const REST = `(?:[/?]${PATH})?`
const HTTPS = new RegExp(`^https://${HOST}${PORT}${REST}$`)
const LOOPBACK = new RegExp(String.raw`^http://(?:localhost|127\.0\.0\.1|\[::1\])${PORT}${REST}$`)
// Some programs read the text after two slashes as a host, so this text must not contain a user name (`user@host`).
const PRIVATE = new RegExp(String.raw`^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:(?://[A-Za-z0-9._-]*${REST}|/(?!/)${PATH})$`)

const isAllowed = (text: string): boolean => {
  const groups = (HTTPS.exec(text) ?? LOOPBACK.exec(text))?.groups
  if (groups === undefined) return PRIVATE.test(text)
  const { port, v6 } = groups
  return (port === undefined || isPort(Number(port))) && (v6 === undefined || isIpv6(v6))
}

const isPort = (port: number): boolean => port >= 1 && port <= 65_535

/** Whether the text is an IPv6 address (RFC 4291 §2.2). The form that ends in a dotted IPv4 address is refused. */
const isIpv6 = (text: string): boolean => {
  const [head = "", tail, ...rest] = text.split("::")
  const groups = [head, tail ?? ""].flatMap((part) => (part === "" ? [] : part.split(":")))
  const complete = tail === undefined ? groups.length === 8 : groups.length < 8
  return rest.length === 0 && complete && groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))
}

/**
 * The origin of a redirect URI: scheme, host and port, or a private scheme. A reviewer approves origins; the developer
 * chooses the paths.
 */
export const origin = (uri: RedirectUri): string => {
  const [, scheme = "", host = "", port] = /^(https?):\/\/(\[[^\]]*\]|[^/?:]*)(?::(\d+))?/.exec(uri) ?? []
  if (scheme === "") return uri.slice(0, uri.indexOf(":") + 1)
  const isDefault = port === undefined || Number(port) === (scheme === "https" ? 443 : 80)
  return `${scheme}://${host.toLowerCase()}${isDefault ? "" : `:${Number(port)}`}`
}

/** Adds query parameters to the URI, and keeps the parameters that the URI was registered with (RFC 6749 §3.1.2). */
export const withQuery = (uri: string, parameters: ReadonlyArray<readonly [string, string]>): string => {
  const query = parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")
  if (query === "") return uri
  return uri + (uri.includes("?") ? (/[?&]$/.test(uri) ? "" : "&") : "?") + query
}
