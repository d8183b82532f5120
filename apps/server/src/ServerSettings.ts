import { Setting, Settings, TelemetrySettings } from "@place-access/worker"
import { Config, ConfigError, Either, LogLevel, Option } from "effect"

const host = Setting.withDefault("HOST", {
  description: "The network address that the server listens on; 0.0.0.0 for every address of this machine.",
  fallback: "127.0.0.1",
  parse: Setting.hostName
})

const signUp = Setting.withDefault("SIGN_UP", {
  description: "Whether strangers may make an account: open or closed.",
  fallback: "open" as const,
  parse: Setting.oneOf("open", "closed")
})

const staffSecondFactor = Setting.withDefault("STAFF_SECOND_FACTOR", {
  description:
    "Whether reviewers and admins need a second factor: optional or required. With required, those without one reach only the page that sets one up.",
  fallback: "optional" as const,
  parse: Setting.oneOf("optional", "required")
})

const trustProxy = Setting.withDefault("TRUST_PROXY", {
  description:
    "true behind a proxy of your own: client addresses are then taken from X-Forwarded-For, which anybody can forge.",
  fallback: false,
  parse: Setting.boolean
})

const rateLimit = Setting.withDefault("RATE_LIMIT_PER_MINUTE", {
  description: "The most calls that an app may make in a minute for one connected user, on all servers together.",
  fallback: 600,
  parse: Setting.integer(1, 1_000_000)
})

const drainSeconds = Setting.withDefault("DRAIN_SECONDS", {
  description:
    "How many seconds a server still answers after SIGTERM. Meanwhile /readyz answers 503, so that load balancers send new requests elsewhere. Then the server accepts no more requests.",
  fallback: 5,
  parse: Setting.integer(0, 3_600)
})

const tileUrl = Setting.optional("TILE_URL", {
  description:
    "The tile server that browsers load the map's pictures from when users choose a place; use one that you may use. It learns this service's address and the part of the map that a user looks at.",
  fallback: "none: the map of the world that the service ships, without streets",
  secret: true,
  parse: Setting.tileUrl
})

const securityContact = Setting.optional("SECURITY_CONTACT", {
  description: "Where to report a vulnerability: an https or mailto address, shown at /.well-known/security.txt.",
  fallback: "none: there is no security.txt",
  parse: Setting.contact
})

const logRequests = Setting.withDefault("LOG_REQUESTS", {
  description:
    "true to log each request when it is answered: method, route, status, milliseconds and request id. Never a query, a token, an id or a location. Has no effect when LOG_LEVEL is warn or error.",
  fallback: false,
  parse: Setting.boolean
})

const trustTraceparent = Setting.withDefault("TRUST_TRACEPARENT", {
  description:
    "true behind a proxy of your own that traces: the server then continues the trace of a request's traceparent header. Without such a proxy, any client could have its requests traced.",
  fallback: false,
  parse: Setting.boolean
})

/** Every variable that the server reads, in the order of `--help` and of docs/settings.md. */
export const all = [
  Settings.address.port,
  host,
  Settings.address.baseUrl,
  Settings.address.authUrl,
  Settings.address.userPortalUrl,
  signUp,
  staffSecondFactor,
  trustProxy,
  rateLimit,
  drainSeconds,
  tileUrl,
  securityContact,
  logRequests,
  ...Object.values(Settings.shared),
  ...TelemetrySettings.all,
  trustTraceparent
]

export const config = Config.all({
  host: host.config,
  port: Settings.address.port.config,
  addresses: Settings.addresses,
  signUp: signUp.config,
  staffSecondFactor: staffSecondFactor.config,
  trustProxy: trustProxy.config,
  rateLimitPerMinute: rateLimit.config,
  drainSeconds: drainSeconds.config,
  tileUrl: Config.map(tileUrl.config, Option.getOrNull),
  securityContact: Config.map(securityContact.config, Option.getOrNull),
  logRequests: logRequests.config,
  storage: Settings.storage,
  webhooks: Settings.webhooks,
  mail: Settings.mail,
  logging: Settings.logging,
  telemetry: TelemetrySettings.config,
  trustTraceparent: trustTraceparent.config
}).pipe(
  Config.mapOrFail((given) =>
    given.telemetry.metricsAddress?.port === given.port
      ? Either.left(ConfigError.InvalidData(["METRICS_PORT"], "must be another port than PORT"))
      : Either.right(given)
  )
)
export type ServerSettings = Config.Config.Success<typeof config>

/**
 * A warning for an operator who may have forgotten TRUST_PROXY; undefined with other settings. The server speaks plain
 * HTTP. So with an https address there is a proxy in front of the server, and every request has the address of this
 * proxy.
 */
export const unknownClients = ({
  addresses,
  trustProxy
}: Pick<ServerSettings, "addresses" | "trustProxy">): string | undefined =>
  addresses.baseUrl.startsWith("https:") && !trustProxy
    ? "BASE_URL is https and TRUST_PROXY is false: everybody has the address of the proxy, so all people share the limits of one address."
    : undefined

/**
 * A warning for an operator who has switched the log of requests on while LOG_LEVEL leaves its lines out; undefined
 * with other settings.
 */
export const silencedRequests = ({
  logRequests,
  logging
}: Pick<ServerSettings, "logRequests" | "logging">): string | undefined =>
  logRequests && LogLevel.greaterThan(logging.level, LogLevel.Info)
    ? "LOG_REQUESTS has no effect: its lines are of the level info, which LOG_LEVEL leaves out."
    : undefined
