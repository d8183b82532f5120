import { MIN_POOL, NodeVault } from "@place-access/adapters-pg"
import { Config, ConfigError, Either, LogLevel, Option, Redacted } from "effect"
import * as Setting from "./Setting.js"
import * as Smtp from "./Smtp.js"

/** The settings that server and worker share (decisions §11). */

const port = Setting.withDefault("PORT", {
  description: "The port that the server listens on.",
  fallback: 8080,
  parse: Setting.integer(1, 65_535)
})

const baseUrl = Setting.optional("BASE_URL", {
  description:
    "The address of the service as its users see it, without a path. With https, cookies are sent over https only. Passkeys belong to its host: another host makes all of them useless.",
  fallback: "http://localhost:$PORT",
  secret: true,
  parse: Setting.rootUrl
})

const authUrl = Setting.optional("AUTH_URL", {
  description: "The address of the consent page: apps send browsers to AUTH_URL/authorize.",
  fallback: "BASE_URL",
  secret: true,
  parse: Setting.pagesUrl
})

const userPortalUrl = Setting.optional("USER_PORTAL_URL", {
  description: "Where users see their access log, and below it connected apps, places and phones.",
  fallback: "BASE_URL/portal",
  secret: true,
  parse: Setting.pagesUrl
})

const databaseUrl = Setting.optional("DATABASE_URL", {
  description:
    "The PostgreSQL server. With ?sslmode=verify-full&sslrootcert=/path/ca.pem at the end, the connection is encrypted and the server's certificate is checked; without sslmode nothing is encrypted. Without DATABASE_URL the server keeps an embedded database in DATA_DIR and does the worker's work itself.",
  fallback: "the embedded database",
  secret: true,
  parse: (text) =>
    URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol)
      ? Either.right(Redacted.make(text))
      : Either.left("an address such as postgres://user:password@host:5432/database")
})

const databasePool = Setting.withDefault("DATABASE_POOL", {
  description:
    "The largest number of connections to PostgreSQL in the pool of one process. A process keeps one more to hear of new work, and at times opens another to check the others, and a server one for /readyz: at most DATABASE_POOL + 3.",
  fallback: 10,
  parse: Setting.integer(MIN_POOL, 500)
})

const dataDir = Setting.withDefault("DATA_DIR", {
  description:
    "The folder of the embedded database, the keys made for it, and its lock file. It is closed to other users of the machine. One process at a time.",
  fallback: "./data",
  parse: Setting.anyText
})

const secretKeys = Setting.optional("SECRET_KEYS", {
  description:
    "Keys that seal signing secrets and sign cursors and forms: kid:base64key[,kid:base64key], newest first, 32 bytes each. Keep them apart from the database; the same for every process.",
  fallback: "made and kept in DATA_DIR with the embedded database; required with DATABASE_URL",
  secret: true,
  saysFault: true,
  parse: NodeVault.parseKeys
})

const allowInsecureWebhooks = Setting.withDefault("ALLOW_INSECURE_WEBHOOKS", {
  description: "For development only: webhooks may go to http addresses and to this machine.",
  fallback: false,
  parse: Setting.boolean
})

const smtpUrl = Setting.optional("SMTP_URL", {
  description:
    "The mail server: smtp://user:password@host:587 (switches to TLS when the server offers it, and insists on TLS when there is a password) or smtps://user:password@host:465. The service mails users about their account and what was done in their name, and developers about reviews, failing webhook endpoints and teams.",
  fallback:
    "none: no e-mail is sent; a server that only its own machine reaches shows the messages at /dev/mailbox, and every e-mail address counts as confirmed there. Elsewhere nobody can confirm one, so nobody can sign up",
  secret: true,
  parse: Smtp.parseUrl
})

const mailFrom = Setting.optional("MAIL_FROM", {
  description: "The sender of e-mail: an address, or a name and an address in angle brackets.",
  fallback: "required with SMTP_URL",
  parse: Smtp.parseSender
})

const LEVELS = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warn: LogLevel.Warning,
  error: LogLevel.Error
} as const

const logLevel = Setting.withDefault("LOG_LEVEL", {
  description:
    "How much is logged: trace, debug, info, warn or error. Lines about the audit log and of LOG_REQUESTS are of the level info, so warn and error leave them out.",
  fallback: LogLevel.Info,
  shown: "info",
  parse: (text) =>
    Either.map(
      Setting.oneOf("trace", "debug", "info", "warn", "error")(text),
      (word): LogLevel.LogLevel => LEVELS[word]
    )
})

const logFormat = Setting.withDefault("LOG_FORMAT", {
  description: "pretty for people, json (one object a line) for machines.",
  fallback: "pretty" as const,
  parse: Setting.oneOf("pretty", "json")
})

/**
 * The settings that both the server and the worker read, in the order in which the documentation and `--help` list
 * them.
 */
export const shared = {
  databaseUrl,
  databasePool,
  dataDir,
  secretKeys,
  allowInsecureWebhooks,
  smtpUrl,
  mailFrom,
  logLevel,
  logFormat
}

/**
 * The settings for addresses. The server listens on `port`; the worker uses these settings only for the links in
 * messages.
 */
export const address = { port, baseUrl, authUrl, userPortalUrl }

export const addresses = Config.all({
  port: port.config,
  baseUrl: baseUrl.config,
  authUrl: authUrl.config,
  userPortalUrl: userPortalUrl.config
}).pipe(
  Config.map((given) => {
    const base = Option.getOrElse(given.baseUrl, () => `http://localhost:${given.port}`)
    return {
      baseUrl: base,
      authUrl: Option.getOrElse(given.authUrl, () => base),
      userPortalUrl: Option.getOrElse(given.userPortalUrl, () => `${base}/portal`)
    }
  })
)
export type PublicAddresses = Config.Config.Success<typeof addresses>

export const logging = Config.all({ level: logLevel.config, format: logFormat.config })
export type Logging = Config.Config.Success<typeof logging>

/** The embedded database. Without `keys`, the keys are in its data folder. */
export interface Embedded {
  readonly _tag: "Embedded"
  readonly dataDir: string
  readonly keys: Option.Option<NodeVault.SecretKeys>
}

/** Where the service stores its data. */
export type Storage =
  | Embedded
  | {
      readonly _tag: "Postgres"
      readonly url: Redacted.Redacted
      readonly poolSize: number
      readonly keys: NodeVault.SecretKeys
    }

export const storage: Config.Config<Storage> = Config.all({
  url: databaseUrl.config,
  poolSize: databasePool.config,
  dataDir: dataDir.config,
  keys: secretKeys.config
}).pipe(
  Config.mapOrFail(({ dataDir, keys, poolSize, url }): Either.Either<Storage, ConfigError.ConfigError> => {
    if (Option.isNone(url)) return Either.right({ _tag: "Embedded", dataDir, keys })
    // Without SECRET_KEYS each process would make its own key, which the other processes do not have.
    if (Option.isNone(keys)) return Either.left(keysMissing)
    return Either.right({ _tag: "Postgres", url: url.value, poolSize, keys: keys.value })
  })
)

const keysMissing = ConfigError.MissingData(
  ["SECRET_KEYS"],
  'is required with DATABASE_URL: kid:base64key, such as "k1:" and the output of: openssl rand -base64 32'
)

export const webhooks = Config.all({ allowInsecure: allowInsecureWebhooks.config })

/** The settings of the mail server; null when no e-mail is sent. */
export const mail: Config.Config<Smtp.Smtp | null> = Config.all({ server: smtpUrl.config, from: mailFrom.config }).pipe(
  Config.mapOrFail(({ from, server }): Either.Either<Smtp.Smtp | null, ConfigError.ConfigError> => {
    if (Option.isNone(server)) return Either.right(null)
    if (Option.isNone(from)) return Either.left(senderMissing)
    return Either.right({ server: server.value, from: from.value })
  })
)

const senderMissing = ConfigError.MissingData(
  ["MAIL_FROM"],
  "is required with SMTP_URL: the sender of e-mail, such as Places <no-reply@example.com>"
)
