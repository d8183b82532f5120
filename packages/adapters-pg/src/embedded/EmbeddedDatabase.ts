import { PGlite } from "@electric-sql/pglite"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer, type Scope } from "effect"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import pg from "pg"
import * as Client from "../client/Client.js"
import { pooled } from "../client/Pooled.js"
import type { Database } from "../Database.js"
import { DedicatedConnection, make as makeDedicated } from "../DedicatedConnection.js"
import type * as DataFolder from "./DataFolder.js"
import * as DirectoryLock from "./DirectoryLock.js"
import { PgliteSession } from "./PgliteSession.js"
import * as Watch from "../Watch.js"
import * as Upkeep from "./Upkeep.js"

export interface EmbeddedOptions {
  /** The folder that holds the database; absent: in memory, gone with the process. */
  readonly dataDir?: string | undefined
  /** An image of a database to start from (`PGlite.dumpDataDir`), for tests. */
  readonly image?: Blob | undefined
  /** How long a statement waits for another connection's transaction before it is refused as with `lock_timeout`. */
  readonly waitLimitMillis?: number | undefined
}

/** Connections are cheap here; they only queue for the one session. */
const CONNECTIONS = 16

/**
 * How much a function of PGlite's may run, in bytes, before V8 compiles it once more and better, beside us. Node 20's V8 says 1.8
 * million, and then half of a start's processor time goes into what starting alone makes hot. What serving makes hot gets there too.
 */
const TIERING_BUDGET = 40_000_000

/**
 * PostgreSQL inside this process (PGlite), with the ordinary driver on top, so that every statement is written once. For
 * trying out and small single-node use: one session at a time, and no fsync, so a power cut can lose what a killed process
 * does not. Fails when another process has the folder open.
 */
export const layerEmbedded = (
  options: EmbeddedOptions = {}
): Layer.Layer<Database, SqlError | DirectoryLock.DirectoryInUse | DataFolder.DirectoryUnusable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      if (options.dataDir !== undefined) yield* DirectoryLock.hold(options.dataDir)
      const db = yield* open(options)
      const session = new PgliteSession(db, yield* serverVersion(db), options.waitLimitMillis)
      const connection = connectionOptions(session)
      const database = Layer.merge(
        Client.layer(pool(connection), (connections) => {
          const run = pooled(connections)
          return { run, shared: run }
        }),
        Layer.succeed(
          DedicatedConnection,
          makeDedicated(() => new pg.Client(connection))
        )
      )
      return options.dataDir === undefined ? database : Layer.merge(database, Layer.provide(Upkeep.layer, database))
    })
  )

const open = (options: EmbeddedOptions): Effect.Effect<PGlite, SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => {
        setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`)
        return PGlite.create({
          ...(options.dataDir === undefined ? {} : { dataDir: join(options.dataDir, "database") }),
          ...(options.image === undefined ? {} : { loadDataDir: options.image })
        })
      },
      catch: (cause) => new SqlError({ cause, message: "The embedded database could not be opened" })
    }),
    (db) => Effect.ignoreLogged(Effect.tryPromise(() => db.close()))
  )

const serverVersion = (db: PGlite): Effect.Effect<string, SqlError> =>
  Effect.tryPromise({
    try: () => db.query<{ readonly server_version: string }>("SHOW server_version"),
    catch: (cause) => new SqlError({ cause, message: "The embedded database does not answer" })
  }).pipe(Effect.map(({ rows }) => rows[0]?.server_version ?? "unknown"))

const connectionOptions = (session: PgliteSession): pg.ClientConfig => ({
  stream: session.connect,
  ssl: false,
  host: "embedded",
  user: "postgres",
  database: "postgres"
})

const pool = (connection: pg.ClientConfig): Effect.Effect<pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Watch.client, (Client) => {
      const connections = new pg.Pool({ ...connection, Client, max: CONNECTIONS, idleTimeoutMillis: 0 })
      // A broken idle connection is dropped by the pool; without a listener it would end the process.
      connections.on("error", () => undefined)
      connections.on("connect", (client) => client.on("error", () => undefined))
      return connections
    }),
    (connections) => Effect.promise(() => connections.end()).pipe(Effect.interruptible, Effect.timeoutOption(1_000))
  ).pipe(Effect.tap(Watch.pool))
