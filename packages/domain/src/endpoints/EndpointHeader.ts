// Headers that a developer adds to the webhooks of an endpoint. Decision endpoints-10.
import { Schema } from "effect"
import { brand } from "../shared/Errors.js"
import type { AppId, EndpointId, Vault } from "../shared/index.js"

/**
 * A header that every webhook to the endpoint has. Its value may be a secret, so the value is stored encrypted and
 * never shown again.
 */
export interface EndpointHeader {
  readonly name: HeaderName
  readonly sealed: Vault.Sealed
}

/** The maximum number of headers of one endpoint. */
export const MAX = 5

/**
 * Headers that the service or HTTP itself sets, and headers that have a meaning in HTTP or in other webhooks (such as
 * `webhook-*`). A developer cannot set these headers, because they could change the meaning of a webhook.
 */
const RESERVED = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "date",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via"
])
const RESERVED_BEGINNINGS = ["content-", "proxy-", "sec-", "webhook-", "x-service-"]

const isReserved = (name: string): boolean =>
  RESERVED.has(name) || RESERVED_BEGINNINGS.some((beginning) => name.startsWith(beginning))

/**
 * The name of a header that is not reserved: 1 to 64 letters, digits and hyphens, without a hyphen at
 * the beginning or end. It is stored in lower case, because HTTP does not distinguish the case of header names.
 */
export const HeaderName = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9]([A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/, {
    message: () => "must be 1 to 64 letters, digits and hyphens"
  }),
  Schema.filter((name) => !isReserved(name.toLowerCase()), {
    message: () => "must not be a header with a meaning in HTTP or in webhooks"
  }),
  brand("HeaderName")
)
export type HeaderName = typeof HeaderName.Type

export const VALUE_MAX = 1_000

/** Visible ASCII characters, with spaces between them only. A line break in a value would begin another header. */
export const HeaderValue = Schema.String.pipe(
  Schema.filter((value) => value.length <= VALUE_MAX && /^[!-~]([ -~]*[!-~])?$/.test(value), {
    message: () => `must be 1 to ${VALUE_MAX} visible ASCII characters`
  }),
  brand("HeaderValue")
)
export type HeaderValue = typeof HeaderValue.Type

/**
 * The encryption context of a header's value. A value that somebody copies to another endpoint or header cannot be
 * decrypted.
 */
export const sealContext = (appId: AppId, endpointId: EndpointId, name: HeaderName): string =>
  `endpoint header ${appId} ${endpointId} ${name}`

/** The name in lower case, as it is stored and sent. */
export const lowerCase = (name: HeaderName): HeaderName => name.toLowerCase() as HeaderName

/**
 * The headers after a change, in the order of their names. A sealed value adds a header or replaces the header of that
 * name, null removes the header of that name, and other headers stay.
 */
export const change = (
  before: ReadonlyArray<EndpointHeader>,
  changes: ReadonlyMap<HeaderName, Vault.Sealed | null>
): ReadonlyArray<EndpointHeader> => {
  const after = new Map(before.map(({ name, sealed }) => [name, sealed]))
  for (const [name, sealed] of changes) {
    if (sealed === null) after.delete(name)
    else after.set(name, sealed)
  }
  return Array.from(after, ([name, sealed]) => ({ name, sealed })).sort((a, b) => (a.name < b.name ? -1 : 1))
}
