import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Load from "./load.js"
import * as Profile from "./profile.js"
import * as Program from "./Program.js"
import * as Scratch from "./Scratch.js"

/**
 * The tools with which one benchmark (a row of the results table) sets itself up. Everything that the tools make is
 * removed when the benchmark ends.
 */
export interface Bench {
  readonly rounds: number
  /** The folder of the repository whose programs the benchmark starts. */
  readonly root: string
  /**
   * Whether the benchmark also measures its peers: other products that do the same work. `main.ts` has then installed
   * them (`peers.ts`) before the benchmarks start.
   */
  readonly withPeers: boolean
  /** How many programs of the product the benchmark has started. */
  readonly programs: () => number
  /** The memory peaks of the processes of all benchmarks that have run so far. */
  readonly peaks: () => ReadonlyArray<Peak>
  /** Registers a function that runs when the benchmark ends. The function that was registered last runs first. */
  readonly defer: (close: () => Promise<unknown>) => void
  /** Makes a database of the product, filled by `seed`, and then vacuumed and analyzed like a database in use. */
  readonly scratch: (seed?: (scratch: Scratch.Scratch) => Promise<unknown>) => Promise<Scratch.Scratch>
  readonly directory: () => Promise<string>
  /**
   * Starts a server of the product on a scratch database, and waits until it is ready. The server's rate limits are so
   * high that the load of one machine cannot reach them. `tree` is another clone of the repository, whose server is
   * started instead.
   */
  readonly server: (
    scratch: Scratch.Scratch,
    environment?: Readonly<Record<string, string>>,
    tree?: string
  ) => Promise<Served>
  /**
   * Starts a worker of the product, and waits until it is ready. The worker may send webhooks to this machine. `tree`
   * is another clone of the repository, whose worker is started instead.
   */
  readonly worker: (
    scratch: Scratch.Scratch,
    environment?: Readonly<Record<string, string>>,
    tree?: string
  ) => Promise<Program.Running>
  /** Starts a server on the embedded database, and waits until it is ready. This server also does the worker's work. */
  readonly embedded: (environment?: Readonly<Record<string, string>>) => Promise<Served>
  /** Runs one round of load over HTTP. The same load process makes the load in all rounds of the benchmark. */
  readonly load: (measured: ReadonlyArray<Program.Running>, load: Load.Load) => Promise<Load.Loaded>
  /** Stops the process when the benchmark ends, and remembers the highest resident memory of the process. */
  readonly keep: (running: Program.Running) => Program.Running
}

export interface Served {
  readonly running: Program.Running
  readonly port: number
  readonly url: string
}

/** The highest resident memory of one process, with its role and the name of the benchmark that started it. */
export interface Peak {
  readonly role: Program.Role
  readonly row: string
  readonly MB: number
}

interface Given {
  readonly row: string
  readonly rounds: number
  readonly withPeers: boolean
  /** The folder for profiles of the product's programs; undefined: no profiles are made. */
  readonly profiles?: string | undefined
  /** The folder of another clone of the repository, whose programs the benchmark starts; undefined: this clone. */
  readonly tree?: string | undefined
}

/** Runs `use`, and then removes everything that `use` made with `bench`, also after a failure. */
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
  // An interruption (Control-C) waits until a removal that is in progress has ended. Otherwise a scratch database could
  // remain.
  const closeAll = () => (closing ??= closeEach())
  const interrupted = () => void closeAll().finally(() => process.exit(130))
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted)
  // Writing to the output fails when its reader has ended, as in `npm run bench | head`.
  process.stdout.on("error", interrupted)
  try {
    return await use(build(options, peaks, defer))
  } finally {
    await closeAll()
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted)
    process.stdout.off("error", interrupted)
  }
}

const build = (
  { profiles, row, rounds, tree: ofAll, withPeers }: Given,
  peaks: Array<Peak>,
  defer: Bench["defer"]
): Bench => {
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

  /** For each program, by its process id: how many seconds after its start it was ready. */
  const readyAfter = new Map<number, number>()
  let programs = 0
  const start = async (
    program: "server" | "worker",
    environment: Readonly<Record<string, string>>,
    role: Program.Role,
    ready: (running: Program.Running) => Promise<void>,
    tree = ofAll
  ): Promise<Program.Running> => {
    const begin = performance.now()
    programs++
    const profile = profiles === undefined ? undefined : join(profiles, `${row}-${role}-${programs}.cpuprofile`)
    const running = keep(Program.product(program, { ...COMMON, ...environment }, role, profile, tree))
    await ready(running)
    readyAfter.set(running.pid, (performance.now() - begin) / 1_000)
    return running
  }

  const directory = async () => {
    const path = await mkdtemp(join(tmpdir(), "place-access-bench-"))
    defer(() => rm(path, { recursive: true, force: true }))
    return path
  }

  const serve = async (
    environment: Readonly<Record<string, string>>,
    role: Program.Role,
    tree?: string
  ): Promise<Served> => {
    const port = await Program.freePort()
    const url = `http://127.0.0.1:${port}`
    const running = await start(
      "server",
      { HOST: "127.0.0.1", PORT: String(port), BASE_URL: `http://localhost:${port}`, ...environment },
      role,
      (running) => Program.answers(running, `${url}/readyz`),
      tree
    )
    return { running, port, url }
  }

  let client: Program.Running | undefined

  return {
    rounds,
    root: ofAll ?? Program.ROOT,
    withPeers,
    programs: () => programs,
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
    server: (scratch, environment = {}, tree) => serve({ ...scratch.environment, ...environment }, "server", tree),
    embedded: async (environment = {}) => serve({ DATA_DIR: await directory(), ...environment }, "embedded"),
    worker: (scratch, environment = {}, tree) =>
      start(
        "worker",
        { ...scratch.environment, ...environment },
        "worker",
        (running) => Program.until(running, "the worker", () => running.output().includes("the worker is ready")),
        tree
      )
  }
}

/**
 * Settings of every server and worker: the settings of a real service, with three exceptions. Webhooks may go to this
 * machine, programs stop without a delay, and no load reaches the rate limits.
 */
const COMMON = {
  LOG_FORMAT: "json",
  ALLOW_INSECURE_WEBHOOKS: "true",
  // A server that stops may continue to answer for some seconds, so that load balancers notice the stop. The benchmark
  // has no load balancer, so its servers stop immediately.
  DRAIN_SECONDS: "0",
  RATE_LIMIT_PER_MINUTE: "1000000",
  // Load scripts put many client addresses into X-Forwarded-For. The server must read this header, so that its limits
  // for each address work as in a real service.
  TRUST_PROXY: "true"
}
