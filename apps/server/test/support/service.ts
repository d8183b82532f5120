import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeDataFolder } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { citus, postgres as postgresServer } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { freePort } from "./freePort.js"
import { type Processes, ready, type Running, workerReady } from "./processes.js"

/** The whole service as an operator runs it, on a separate database. */
export interface Service {
  readonly url: string
  /** The address of the PostgreSQL database; null for the embedded one. */
  readonly databaseUrl: string | null
  /** The folder of the embedded database and the generated keys. */
  readonly dataDir: string
  /** The server that was started last. It may have been stopped. */
  readonly server: () => Running
  readonly workers: () => ReadonlyArray<Running>
  /** Kills the server, starts it again on the same address and database, and waits until it is ready. */
  readonly restartServer: () => Promise<Running>
  /** Starts a worker. `more` has settings for this worker only. */
  readonly startWorker: (more?: Readonly<Record<string, string>>) => Running
  /** Stops everything. Deletes the database, unless the `Setup` named it (`databaseUrl`). */
  readonly close: () => Promise<void>
}

export interface Setup {
  /**
   * The kind of database.
   * - `embedded`: one process does everything, in a data folder that is not empty.
   * - `postgres`, `citus`: the server and the workers are separate processes, on a database that has the tables
   *   already, unless `databaseUrl` names another database.
   */
  readonly database: "embedded" | "postgres" | "citus"
  /** The number of workers. It must be absent with the embedded database. */
  readonly workers?: number
  /**
   * The address of an existing database, which is not deleted at the end. It must be absent with the embedded database.
   */
  readonly databaseUrl?: string
  /** Only on Citus: the number of the node to which all programs connect. The default, 0, is the coordinator. */
  readonly node?: number
  readonly environment?: Readonly<Record<string, string>>
}

export const startService = async (
  processes: Processes,
  { database, databaseUrl, environment = {}, node = 0, workers = 1 }: Setup
): Promise<Service> => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const dataDir = database === "embedded" ? await makeDataFolder() : await mkdtemp(join(tmpdir(), "place-access-"))
  const postgres =
    database === "embedded"
      ? undefined
      : databaseUrl === undefined
        ? await (database === "citus" ? citus : postgresServer).migratedDatabase()
        : { url: databaseUrl, urls: [databaseUrl], drop: () => Promise.resolve() }
  const shared = {
    DATA_DIR: dataDir,
    BASE_URL: url,
    LOG_FORMAT: "json",
    ALLOW_INSECURE_WEBHOOKS: "true",
    ...(postgres === undefined
      ? {}
      : {
          DATABASE_URL: postgres.urls[node] ?? postgres.url,
          SECRET_KEYS: `test:${randomBytes(32).toString("base64")}`
        }),
    ...environment
  }
  const startServer = () => processes.start("server", { ...shared, HOST: "127.0.0.1", PORT: String(port) })

  let server = startServer()
  const running: Array<Running> = []
  const startWorker = (more: Readonly<Record<string, string>> = {}): Running => {
    const worker = processes.start("worker", { ...shared, ...more })
    running.push(worker)
    return worker
  }
  await ready(server, url)
  if (postgres !== undefined) {
    for (let count = 0; count < workers; count++) startWorker()
    // Waits for the workers, because a signal would end a worker that is loading and cannot handle the signal yet.
    await Promise.all(running.map(workerReady))
  }

  return {
    url,
    databaseUrl: postgres?.url ?? null,
    dataDir,
    server: () => server,
    workers: () => running,
    restartServer: async () => {
      await server.stop("SIGKILL")
      server = startServer()
      await ready(server, url)
      return server
    },
    startWorker,
    close: async () => {
      await Promise.all([server, ...running].map((one) => one.stop("SIGTERM")))
      await postgres?.drop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
