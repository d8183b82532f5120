import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeDataFolder } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { citus, postgres as postgresServer } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { freePort } from "./freePort.js"
import { type Processes, ready, type Running, workerReady } from "./processes.js"

/** The whole service as an operator runs it, on a database of its own. */
export interface Service {
  readonly url: string
  /** The address of the PostgreSQL database; null for the embedded one. */
  readonly databaseUrl: string | null
  /** The folder of the embedded database and the generated keys. */
  readonly dataDir: string
  /** The newest server; it may have been stopped. */
  readonly server: () => Running
  readonly workers: () => ReadonlyArray<Running>
  /** Starts the server again, on the same address and database, and waits until it is ready. */
  readonly restartServer: () => Promise<Running>
  /** `more`: settings of this worker. */
  readonly startWorker: (more?: Readonly<Record<string, string>>) => Running
  /** Stops everything and deletes the database. */
  readonly close: () => Promise<void>
}

export interface Setup {
  /**
   * embedded: one process does everything, in a data folder that is not empty. postgres, citus: the server and the
   * workers are processes of their own, on a database that has the tables. `process.e2e.test.ts` begins with an empty
   * folder, and with an empty database.
   */
  readonly database: "embedded" | "postgres" | "citus"
  /** The number of workers; not with the embedded database. */
  readonly workers?: number
  /** Not with the embedded database: an existing database, which is not deleted. */
  readonly databaseUrl?: string
  /** Only on Citus: the node of the cluster that all programs connect to. 0, the default, is the coordinator. */
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
    // A signal would end a worker that is still loading and cannot handle it yet.
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
