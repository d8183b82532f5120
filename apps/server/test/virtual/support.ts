import { Schema } from "effect"
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeDataFolder } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { client } from "../support/client.js"
import { freePort } from "../support/freePort.js"
import { type Processes, ready, type Running } from "../support/processes.js"

const Happened = Schema.Struct({
  at: Schema.String,
  what: Schema.Literal("event", "mail", "webhook"),
  type: Schema.optional(Schema.String),
  event_id: Schema.optional(Schema.String),
  occurred_at: Schema.optional(Schema.String),
  url: Schema.optional(Schema.String),
  status: Schema.optional(Schema.Number),
  failure: Schema.optional(Schema.String),
  subject: Schema.optional(Schema.String)
})

const Moved = Schema.Struct({ now: Schema.String, rate: Schema.Number, happened: Schema.Array(Happened) })

/** A server on virtual time, in a separate data folder. */
export interface TestWorld {
  readonly url: string
  readonly dataDir: string
  readonly server: Running
  /** The time that the clock shows, in milliseconds since 1970. */
  readonly now: () => Promise<number>
  /** Gives an order to the clock. */
  readonly clock: (order: Readonly<Record<string, unknown>>) => Promise<typeof Moved.Type>
  readonly close: () => Promise<void>
}

/** The path of a data folder that does not exist yet, in a folder of its own. */
export const newFolder = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), "place-access-world-")), "data")

/** The time at which a world with a seed begins. */
const SEEDED_START = Date.parse("2026-01-05T09:00:00Z")

/**
 * Makes the data folder of a world with a seed, in the state that a server leaves when it is stopped before it gets a
 * request. A server that starts in a new folder spends seconds of processor time on its database. The service's key is
 * derived from the seed, so the folder has no file of keys.
 */
export const seededFolder = async (seed: string): Promise<string> => {
  const [made, dataDir] = await Promise.all([makeDataFolder(), newFolder()])
  await rm(join(made, "secret-keys"))
  await writeFile(join(made, "test-world.json"), JSON.stringify({ now: SEEDED_START, seed, starts: 0 }))
  await rename(made, dataDir)
  return dataDir
}

/**
 * Starts a server on virtual time in a data folder, by default in the folder of a world with a seed. `close` stops the
 * server and deletes the folder that contains the data folder.
 */
export const startWorld = async (
  processes: Processes,
  given?: string,
  args: ReadonlyArray<string> = []
): Promise<TestWorld> => {
  const [dataDir, port] = await Promise.all([given ?? seededFolder("test"), freePort()])
  const url = `http://localhost:${port}`
  const server = processes.start(
    "server",
    { DATA_DIR: dataDir, PORT: String(port), BASE_URL: url, ALLOW_INSECURE_WEBHOOKS: "true" },
    ["--clock", "virtual", ...args]
  )
  await ready(server, url)
  const clock = (order: Readonly<Record<string, unknown>>) =>
    client(url).expect("POST", "/dev/clock", { as: Moved, json: order })
  return {
    url,
    dataDir,
    server,
    now: async () => Date.parse((await client(url).expect("GET", "/dev/clock", { as: Moved })).now),
    clock,
    close: async () => {
      await server.stop("SIGTERM")
      await rm(join(dataDir, ".."), { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
