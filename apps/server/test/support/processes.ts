import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { afterAll, afterEach } from "vitest"
import { shortCommandOf } from "./commandOf.js"
import { until } from "./until.js"

const ROOT = join(import.meta.dirname, "../../../..")

/** The built programs that a test can start, by the names of their npm scripts. */
const PROGRAMS = { server: "start", worker: "worker", listen: "listen" } as const
type Program = keyof typeof PROGRAMS

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A program that runs beside the test. */
export interface Running {
  readonly program: Program
  readonly pid: number
  /** Everything that the program has written so far, to both streams. */
  readonly output: () => string
  readonly ended: Promise<Ended>
  /** Sends the signal and waits until the process has ended. */
  readonly stop: (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => Promise<Ended>
}

export interface Processes {
  readonly start: (
    program: Program,
    environment: Readonly<Record<string, string>>,
    args?: ReadonlyArray<string>,
    /** The folder of another clone of the repository, whose program is started. */
    root?: string
  ) => Running
}

/** In tests no load balancer needs time to notice that a server stops, so the server stops immediately. */
const DEFAULTS = { DRAIN_SECONDS: "0" }

/**
 * Starts processes for the `describe` block that calls this function. When the block ends, the remaining processes are
 * killed; when a test fails, their output is printed. A process gets the given environment, `DEFAULTS`, and from the
 * environment of the test run only HOME and PATH.
 */
export const useProcesses = (): Processes => {
  const running: Array<Running> = []
  afterEach(({ task }) => {
    if (task.result?.state !== "fail") return
    for (const { output, pid, program } of running) {
      process.stderr.write(`\n--- ${program} ${pid}, the last of what it wrote:\n${output().slice(-8_000)}\n---\n`)
    }
  })
  afterAll(() => Promise.all(running.map((one) => one.stop("SIGKILL"))))
  return {
    start: (program, environment, args = [], root = ROOT) => {
      const one = launch(program, environment, args, root)
      running.push(one)
      return one
    }
  }
}

const launch = (
  program: Program,
  environment: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>,
  root: string
): Running => {
  const { HOME = "", PATH = "" } = process.env
  const child = spawn(process.execPath, [...shortCommandOf(PROGRAMS[program], root), ...args], {
    cwd: root,
    env: { HOME, PATH, ...DEFAULTS, ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const chunks: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk))
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code, signal) => resolve({ code, signal }))
  })
  return {
    program,
    pid: child.pid ?? -1,
    output: () => chunks.join(""),
    ended,
    stop: (signal) => (isRunning(child) ? (child.kill(signal), ended) : ended)
  }
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

/** Waits until the server is ready. When the server ends before, fails immediately, with the server's last output. */
export const ready = async (server: Running, url: string): Promise<void> => {
  let end: Ended | undefined
  void server.ended.then((ended) => (end = ended))
  await until(`${url}/readyz`, async () => {
    if (end !== undefined) return end
    const answer = await fetch(`${url}/readyz`)
    await answer.body?.cancel()
    return answer.ok ? true : undefined
  })
  if (end !== undefined) {
    throw new Error(`the server ended (${JSON.stringify(end)}) before it was ready:\n${server.output().slice(-4_000)}`)
  }
}

/** Waits until the worker is ready. When the worker ends before, fails immediately, with the worker's last output. */
export const workerReady = async (worker: Running): Promise<void> => {
  let end: Ended | undefined
  void worker.ended.then((ended) => (end = ended))
  await until("the worker is ready", () =>
    end !== undefined || worker.output().includes("the worker is ready") ? true : undefined
  )
  if (end !== undefined) {
    throw new Error(`the worker ended (${JSON.stringify(end)}) before it was ready:\n${worker.output().slice(-4_000)}`)
  }
}
