import type { Account } from "@place-access/domain/accounts"
import { Context, type Effect } from "effect"

/** The settings that the host program passes to this package. Addresses are absolute and have no trailing slash. */
export interface ServiceOptions {
  /** The address at which clients reach the API, such as `https://api.example.com`. */
  readonly baseUrl: string
  /** `{auth_url}` of the specification: `{authUrl}/authorize` is the consent page. */
  readonly authUrl: string
  /**
   * `{user_portal_url}` of the specification: the address of the user's pages, such as access log, connected apps,
   * places and devices.
   */
  readonly userPortalUrl: string
  readonly signUp: "open" | "closed"
  /**
   * Whether people must confirm their e-mail address with a mailed link. This option has no default. If the default
   * were `assumed`, which counts every address as confirmed, a host that forgot the option would skip the check without
   * noticing.
   */
  readonly addressRule: Account.AddressRule
  /** Whether reviewers and admins need a second factor. Left out: optional. */
  readonly staffSecondFactor?: "optional" | "required"
  /**
   * Whether a proxy in front of the service is trusted. If so, the client's address is the last entry of
   * X-Forwarded-For, and the request's id is the proxy's X-Request-Id. The service ignores each of these values when it
   * is missing or not valid.
   */
  readonly trustProxy: boolean
  /** Whether to continue a trace from the proxy's `traceparent` header. Left out: the header is ignored. */
  readonly trustTraceparent?: boolean
  /** Whether the service logs one line for each answered request. Left out: it logs no requests. */
  readonly logRequests?: boolean
  /** How many calls of the API one connection (a user's approval of an app) may make in a minute. */
  readonly rateLimitPerMinute: number
  /** The address of map tiles, with `{z}`, `{x}` and `{y}`. Null: the pages draw the base map of this service. */
  readonly tileUrl: string | null
  /**
   * Whether the service has the page /dev/mailbox, for development without a mail server. The page shows the e-mails
   * that were not sent. It needs no sign-in, and answers only requests from the same machine.
   */
  readonly hasMailbox: boolean
  /** Where to report a vulnerability: a mailto or https address. Null or left out: there is no security.txt. */
  readonly securityContact?: string | null
  /**
   * How many requests each process works on at the same time. A further request waits for a moment, and gets 503 when
   * no other request ends in time, or when too many requests wait already (`Admission`). Left out: no limit.
   */
  readonly requestsAtOnce?: number
  readonly version: string
  /**
   * Completes when the server begins to stop. The service then ends the streams of events to listeners (`npm run
   * listen`). Left out: the streams do not end when the server begins to stop.
   */
  readonly stopping?: Effect.Effect<void>
}

export class HttpOptions extends Context.Tag("@place-access/adapters-http/HttpOptions")<
  HttpOptions,
  ServiceOptions
>() {}

export const isHttps = (options: Pick<ServiceOptions, "baseUrl">): boolean => options.baseUrl.startsWith("https://")

/**
 * The configured origins of our own pages. A state-changing call with a cookie must come from one of these origins, or
 * from the host by which the browser called the service (`Credentials.checkOrigin`).
 */
export const ownOrigins = (options: ServiceOptions): ReadonlySet<string> =>
  new Set([options.baseUrl, options.authUrl, options.userPortalUrl].map((address) => new URL(address).origin))

/** The path of an address without a slash at its end, such as `/portal`. It is "" when the address has no path. */
export const pathOf = (address: string): string => new URL(address).pathname.replace(/\/+$/, "")

/**
 * The path below which the portal's pages are. It is `/portal` when the address of the portal has no path, because the
 * root path belongs to the front page.
 */
export const portalPath = (options: ServiceOptions): string => pathOf(options.userPortalUrl) || "/portal"
