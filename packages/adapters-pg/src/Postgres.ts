import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer, Redacted, type Scope } from "effect"
import pg from "pg"
import * as Client from "./client/Client.js"
import { pooled } from "./client/Pooled.js"
import { shared } from "./client/Shared.js"
import type { Database } from "./Database.js"
import { DedicatedConnection, make as makeDedicated } from "./DedicatedConnection.js"
import { columnTypes } from "./postgres/ColumnTypes.js"
import * as Silence from "./Silence.js"
import * as Watch from "./Watch.js"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: Redacted.Redacted
  /** At most so many connections; at least `MIN_POOL`. */
  readonly poolSize: number
  /** What `pg_stat_activity` shows. */
  readonly applicationName: string
}

/** Interrupting a query takes a second connection: with fewer, a busy pool stalls its own cancellations. */
export const MIN_POOL = 4

/** Connections that short reads share. */
const LINES_MAX = 2

/** A statement that waits so long for a row is refused (55P03), which callers see as 503, never as `invalid_grant`. */
const LOCK_TIMEOUT_MILLIS = 5_000
/** Nothing that answers a request takes so long. */
const STATEMENT_TIMEOUT_MILLIS = 15_000
/** Our transactions hold no network call: one that idles has lost its program. */
const IDLE_IN_TRANSACTION_MILLIS = 30_000
const CONNECT_TIMEOUT_MILLIS = 5_000
/** Linux begins after two hours unless told. Node then asks every second and gives up after ten times. */
const KEEP_ALIVE_MILLIS = 5_000
/** A firewall forgets idle connections: none gets that old. */
const IDLE_MILLIS = 10_000

/** A pool of connections to a PostgreSQL server. Fails when the server does not answer. */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<Database, SqlError> => {
  const connection = connectionOptions(options)
  return Layer.merge(
    Client.layer(acquire(connection, options.poolSize), (pool) => {
      const run = pooled(pool)
      return { run, shared: shared(pool, LINES_MAX, run) }
    }),
    Layer.succeed(
      DedicatedConnection,
      makeDedicated(() => new pg.Client(connection))
    )
  )
}

const connectionOptions = (options: PostgresOptions): pg.ClientConfig => ({
  connectionString: Redacted.value(options.url),
  application_name: options.applicationName,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MILLIS,
  statement_timeout: STATEMENT_TIMEOUT_MILLIS,
  lock_timeout: LOCK_TIMEOUT_MILLIS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MILLIS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MILLIS,
  types: columnTypes
})

const acquire = (connection: pg.ClientConfig, poolSize: number): Effect.Effect<pg.Pool, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const Client = yield* Watch.namingClient
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const pool = new pg.Pool({
          ...connection,
          Client,
          max: Math.max(MIN_POOL, poolSize),
          idleTimeoutMillis: IDLE_MILLIS,
          pipeline: true
        })
        // A broken connection is dropped by the pool; without a listener it would end the process.
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
