import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer, Redacted, type Scope } from "effect"
import pg from "pg"
import type { Database } from "./Database.js"
import { DedicatedConnection, make as makeDedicated } from "./driver/DedicatedConnection.js"
import { Driver } from "./driver/Driver.js"
import * as Silence from "./driver/Silence.js"
import * as Watch from "./driver/Watch.js"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: Redacted.Redacted
  /** The largest number of connections. A number below `MIN_POOL` counts as `MIN_POOL`. */
  readonly poolSize: number
  /**
   * The name of the program in `pg_stat_activity`. A parameter `application_name` in the database's address does
   * not replace this name, because `db distribute` finds running programs by the name (decision settings-2).
   */
  readonly applicationName: string
}

/**
 * The smallest pool. To cancel a query, the program sends `pg_cancel_backend` over a second connection. In a smaller
 * pool, a few long queries could take all connections, and no connection would be free to cancel these queries.
 */
export const MIN_POOL = 4

/**
 * PostgreSQL refuses a statement that waits longer than this for a lock (55P03). The service then answers 503. It must
 * not answer `invalid_grant`, because an app that gets this error discards its tokens.
 */
const LOCK_TIMEOUT_MILLIS = 5_000
/** PostgreSQL cancels a statement after this time (57014). A statement that serves a request needs much less time. */
const STATEMENT_TIMEOUT_MILLIS = 15_000
/**
 * PostgreSQL closes the connection of a transaction that idles this long. No transaction with this time-out waits for
 * another server, so the program that began such a transaction has crashed, hangs, or has lost its connection.
 */
const IDLE_IN_TRANSACTION_MILLIS = 30_000
const CONNECT_TIMEOUT_MILLIS = 5_000
/**
 * The time of silence after which the machine probes a connection (TCP keep-alive); the default of Linux is two hours.
 * The machine then probes every second, and closes a connection after ten unanswered probes (Node sets both numbers).
 */
const KEEP_ALIVE_MILLIS = 5_000
/**
 * The pool closes a connection that was idle for this time, because a firewall on the way may forget an idle
 * connection.
 */
const IDLE_MILLIS = 10_000

/**
 * A pool of connections to a PostgreSQL server. Fails when the first statement fails, for example because the server
 * does not answer or refuses the password.
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<Database, SqlError> => {
  const connection = connectionOptions(options)
  return Layer.merge(
    Layer.unwrapEffect(Effect.map(Driver, ({ client }) => client(acquire(connection, options.poolSize)))),
    Layer.succeed(
      DedicatedConnection,
      makeDedicated(() => new pg.Client(connection))
    )
  )
}

const connectionOptions = (options: PostgresOptions): pg.ClientConfig => ({
  connectionString: withoutName(Redacted.value(options.url)),
  application_name: options.applicationName,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MILLIS,
  statement_timeout: STATEMENT_TIMEOUT_MILLIS,
  lock_timeout: LOCK_TIMEOUT_MILLIS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MILLIS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MILLIS
})

/** The address without a parameter `application_name`, which `pg` would prefer to the option `applicationName`. */
const withoutName = (url: string): string => {
  const [base = "", ...query] = url.split("?")
  const kept = query
    .join("?")
    .split("&")
    .filter((parameter) => !parameter.startsWith("application_name="))
    .join("&")
  return kept === "" ? base : `${base}?${kept}`
}

const acquire = (connection: pg.ClientConfig, poolSize: number): Effect.Effect<pg.Pool, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const { connections, poolOptions } = yield* Driver
    const Client = yield* connections
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const pool = new pg.Pool({
          ...connection,
          Client,
          max: Math.max(MIN_POOL, poolSize),
          idleTimeoutMillis: IDLE_MILLIS,
          ...poolOptions
        })
        // The pool removes a broken connection by itself. Without a listener, the `error` event would end the process.
        pool.on("error", () => undefined)
        pool.on("connect", (client) => client.on("error", () => undefined))
        return pool
      }),
      (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption(1_000))
    )
    yield* Silence.watch(pool, connection)
    yield* Effect.tryPromise({
      try: () => pool.query("SELECT 1"),
      catch: (cause) => new SqlError({ cause, message: "PostgreSQL does not answer" })
    })
    yield* Watch.pool(pool)
    return pool
  })
