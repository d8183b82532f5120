import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Load from "./load.js"
import * as Profile from "./profile.js"
import * as Program from "./Program.js"
import * as Scratch from "./Scratch.js"

/** What a row builds itself from. All of it is taken down when the row is over. */
export interface Bench {
  readonly rounds: number
  /** Peers are measured, too: rows may install what they need of them. */
  readonly withPeers: boolean
  /** Of the processes of the rows before, by now. */
  readonly peaks: () => ReadonlyArray<Peak>
  /** Runs when the row is over, the last one first. */
  readonly defer: (close: () => Promise<unknown>) => void
  /** Filled by `seed`, and then as a database that has lived. */
  readonly scratch: (seed?: (scratch: Scratch.Scratch) => Promise<unknown>) => Promise<Scratch.Scratch>
  readonly directory: () => Promise<string>
  /** A server of the product on a scratch database, ready. Its rate limits are out of the way of one machine's load. */
  readonly server: (scratch: Scratch.Scratch, environment?: Readonly<Record<string, string>>) => Promise<Served>
  /** A worker of the product, ready. Webhooks may go to this machine. */
  readonly worker: (
    scratch: Scratch.Scratch,
    environment?: Readonly<Record<string, string>>
  ) => Promise<Program.Running>
  /** The server that does everything on the embedded database, ready. */
  readonly embedded: (environment?: Readonly<Record<string, string>>) => Promise<Served>
  /** One round of load over HTTP, from a process that all rounds of the row share. */
  readonly load: (measured: ReadonlyArray<Program.Running>, load: Load.Load) => Promise<Load.Loaded>
  /** Watches a process: it is stopped when the row is over, and its memory is remembered. */
  readonly keep: (running: Program.Running) => Program.Running
}

export interface Served {
  readonly running: Program.Running
  readonly port: number
  readonly url: string
}

/** The most that processes of each role ever had resident, over all rows of this run. */
export interface Peak {
  readonly role: Program.Role
  readonly row: string
  readonly MB: number
}

interface Given {
  readonly row: string
  readonly rounds: number
  readonly withPeers: boolean
  /** The folder for profiles of the product's programs; undefined: they are not profiled. */
  readonly profiles?: string | undefined
}

/** Runs `use`, and takes down what it built, however it ends. */
export const withBench = async <A>(
  options: Given,
  peaks: Array<Peak>,
  use: (bench: Bench) => Promise<A>
): Promise<A> => {
  const closers: Array<() => Promise<unknown>> = []
  const defer: Bench["defer"] = (close) => void closers.push(close)
  const closeEach = async () => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      await close().catch((error: unknown) => process.stderr.write(`could not be closed: ${String(error)}\n`))
    }
  }
  let closing: Promise<void> | undefined
  // Whoever is interrupted waits for what is being closed already: a database that is not dropped stays.
  const closeAll = () => (closing ??= closeEach())
  const interrupted = () => void closeAll().finally(() => process.exit(130))
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted)
  // Nobody reads on: `npm run bench | head`.
  process.stdout.on("error", interrupted)
  try {
    return await use(build(options, peaks, defer))
  } finally {
    await closeAll()
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted)
    process.stdout.off("error", interrupted)
  }
}

const build = ({ profiles, row, rounds, withPeers }: Given, peaks: Array<Peak>, defer: Bench["defer"]): Bench => {
  const keep: Bench["keep"] = (running) => {
    let isOver = false
    const stop = async () => {
      if (isOver) return
      isOver = true
      const MB = running.peakMB()
      if (MB !== null) peaks.push({ role: running.role, row, MB })
      await running.stop()
      const line = running.profile && Profile.read(running.profile, running.name, readyAfter.get(running.pid) ?? 0)
      if (line !== undefined) process.stdout.write(`  ${line}\n`)
    }
    defer(stop)
    return { ...running, stop }
  }

  /** Seconds from the start of a program until it was ready. */
  const readyAfter = new Map<number, number>()
  let programs = 0
  const start = async (
    program: "server" | "worker",
    environment: Readonly<Record<string, string>>,
    role: Program.Role,
    ready: (running: Program.Running) => Promise<void>
  ): Promise<Program.Running> => {
    const begin = performance.now()
    const profile = profiles === undefined ? undefined : join(profiles, `${row}-${role}-${++programs}.cpuprofile`)
    const running = keep(Program.product(program, { ...COMMON, ...environment }, role, profile))
    await ready(running)
    readyAfter.set(running.pid, (performance.now() - begin) / 1_000)
    return running
  }

  const directory = async () => {
    const path = await mkdtemp(join(tmpdir(), "place-access-bench-"))
    defer(() => rm(path, { recursive: true, force: true }))
    return path
  }

  const serve = async (environment: Readonly<Record<string, string>>, role: Program.Role): Promise<Served> => {
    const port = await Program.freePort()
    const url = `http://127.0.0.1:${port}`
    const running = await start(
      "server",
      { HOST: "127.0.0.1", PORT: String(port), BASE_URL: `http://localhost:${port}`, ...environment },
      role,
      (running) => Program.answers(running, `${url}/readyz`)
    )
    return { running, port, url }
  }

  let client: Program.Running | undefined

  return {
    rounds,
    withPeers,
    peaks: () => peaks,
    defer,
    keep,
    directory,
    load: (measured, load) => Load.load((client ??= keep(Load.start())), measured, load),
    scratch: async (seed) => {
      const { drop, scratch } = await Scratch.create()
      defer(drop)
      if (seed !== undefined) {
        await seed(scratch)
        await scratch.settle()
      }
      return scratch
    },
    server: (scratch, environment = {}) => serve({ ...scratch.environment, ...environment }, "server"),
    embedded: async (environment = {}) => serve({ DATA_DIR: await directory(), ...environment }, "embedded"),
    worker: (scratch, environment = {}) =>
      start("worker", { ...scratch.environment, ...environment }, "worker", (running) =>
        Program.until(running, "the worker", () => running.output().includes("the worker is ready"))
      )
  }
}

/** As in service, but that webhooks may go to this machine and that one machine may ask as much as it can. */
const COMMON = {
  LOG_FORMAT: "json",
  ALLOW_INSECURE_WEBHOOKS: "true",
  // No load balancer has to notice that a round is over.
  DRAIN_SECONDS: "0",
  RATE_LIMIT_PER_MINUTE: "1000000",
  // Clients of many addresses: the limits that count by address see as many as there would be.
  TRUST_PROXY: "true"
}
