import { Context, type Effect } from "effect"

/** What the HTTP side is told by the app that composes it. Addresses are absolute and have no trailing slash. */
export interface Options {
  /** Where the API is reached from outside, such as `https://api.example.com`. */
  readonly baseUrl: string
  /** `{auth_url}` of the specification: `{authUrl}/authorize` is the consent page. */
  readonly authUrl: string
  /** `{user_portal_url}` of the specification: leads to the access log; connected apps, places and devices are below it. */
  readonly userPortalUrl: string
  readonly signUp: "open" | "closed"
  /** The address of a client is taken from the last entry of X-Forwarded-For, and X-Request-Id from the proxy. */
  readonly trustProxy: boolean
  /** A `traceparent` of the proxy's is continued. Left out: it is not looked at. */
  readonly trustTraceparent?: boolean
  /** Calls of one connection. */
  readonly rateLimitPerMinute: number
  /** Where pictures of the map come from, with `{z}`, `{x}` and `{y}`; null: the pages have no map background. */
  readonly tileUrl: string | null
  /** The messages that would be sent are shown to everybody at /dev/mailbox. */
  readonly hasMailbox: boolean
  readonly version: string
  /** Returns when the server is told to stop: streams end then. Left out: never. */
  readonly stopping?: Effect.Effect<void>
}

export class HttpOptions extends Context.Tag("@place-access/adapters-http/HttpOptions")<HttpOptions, Options>() {}

export const isHttps = (options: Options): boolean => options.baseUrl.startsWith("https://")

/** Origins that our own pages are served from: the only ones whose state-changing calls a cookie may accompany. */
export const ownOrigins = (options: Options): ReadonlySet<string> =>
  new Set([options.baseUrl, options.authUrl, options.userPortalUrl].map((address) => new URL(address).origin))

/** The path of an address below the base address, such as `/portal`; "" for its root. */
export const pathOf = (address: string): string => new URL(address).pathname.replace(/\/+$/, "")

/** Where the portal's pages are; a portal address without a path shares its root with the front page. */
export const portalPath = (options: Options): string => pathOf(options.userPortalUrl) || "/portal"
