import { Schema } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

/**
 * Starts a server on virtual time, in a new data folder or in the folder `given`. `close` stops the server and deletes
 * the folder that contains the data folder.
 */
export const startWorld = async (
  processes: Processes,
  args: ReadonlyArray<string> = ["--seed", "test"],
  given?: string
): Promise<TestWorld> => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const dataDir = given ?? join(await mkdtemp(join(tmpdir(), "place-access-world-")), "data")
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
