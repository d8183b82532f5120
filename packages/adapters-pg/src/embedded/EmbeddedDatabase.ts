import { PGlite, type PGliteOptions } from "@electric-sql/pglite"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer, type Scope } from "effect"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import pg from "pg"
import type { Database } from "../Database.js"
import { DedicatedConnection, make as makeDedicated } from "../driver/DedicatedConnection.js"
import * as Activity from "../driver/Activity.js"
import { OURS } from "../driver/Driver.js"
import type * as DataFolder from "./DataFolder.js"
import * as DirectoryLock from "./DirectoryLock.js"
import { PgliteSession } from "./PgliteSession.js"
import * as Watch from "../driver/Watch.js"
import * as Upkeep from "./Upkeep.js"

export interface EmbeddedOptions {
  /**
   * The data folder, whose subfolder `database` has the database. Absent: the database is only in memory and ends with
   * the process.
   */
  readonly dataDir?: string | undefined
  /** For tests: an image of a database (`PGlite.dumpDataDir`) with which the database starts. */
  readonly image?: Blob | undefined
  /**
   * PGlite's compiled WebAssembly module. A process that opens many databases compiles the module once and passes it to
   * each of them.
   */
  readonly program?: PGliteOptions["pgliteWasmModule"]
  /**
   * How long a statement waits for the transaction of another connection before it fails with the error of a
   * `lock_timeout`; 10 s by default.
   */
  readonly waitLimitMillis?: number | undefined
}

/** The size of the pool. A connection costs little here, because it is only a queue for the one session. */
const CONNECTIONS = 16

/**
 * The budget of V8 for one function of PGlite: after the function has run this many bytes of code, V8 compiles it
 * again, better optimised, on another thread. The default of Node 20 is 1.8 million. With this default, half of the
 * processor time of a start would go into optimising functions that only the start uses. A function that requests call
 * often still reaches the larger budget.
 */
const TIERING_BUDGET = 40_000_000

/**
 * PostgreSQL inside this process (PGlite). The stores reach it through the ordinary driver, so the same statements
 * serve a server and the embedded database. The embedded database is meant for trying the service out and for small
 * services on one machine: statements run one at a time, and there is no fsync. A power cut can lose the last writes; a
 * killed process loses none. Fails when the database cannot be opened, for example because another process uses the
 * folder.
 */
export const layerEmbedded = (
  options: EmbeddedOptions = {}
): Layer.Layer<Database, SqlError | DirectoryLock.DirectoryInUse | DataFolder.DirectoryUnusable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      if (options.dataDir !== undefined) yield* DirectoryLock.hold(options.dataDir)
      const db = yield* open(options)
      const session = new PgliteSession(db, yield* serverVersion(db), options.waitLimitMillis)
      yield* Effect.acquireRelease(
        Effect.sync(() => Activity.watch(() => session.isBusy)),
        (forget) => Effect.sync(forget)
      )
      const connection = connectionOptions(session)
      const database = Layer.merge(
        OURS.client(pool(connection)),
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
          ...(options.image === undefined ? {} : { loadDataDir: options.image }),
          ...(options.program === undefined ? {} : { pgliteWasmModule: options.program })
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
    Effect.map(OURS.connections, (Client) => {
      const connections = new pg.Pool({
        ...connection,
        Client,
        max: CONNECTIONS,
        idleTimeoutMillis: 0,
        ...OURS.poolOptions
      })
      // The pool removes a broken idle connection by itself. Without a listener, the `error` event would end the
      // process.
      connections.on("error", () => undefined)
      connections.on("connect", (client) => client.on("error", () => undefined))
      return connections
    }),
    (connections) => Effect.promise(() => connections.end()).pipe(Effect.interruptible, Effect.timeoutOption(1_000))
  ).pipe(Effect.tap(Watch.pool))
