import { type ChildProcess, spawn } from "node:child_process"
import { basename, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { commandOf } from "../../test/support/commandOf.js"
import * as Usage from "./Usage.js"

export { freePort } from "../../test/support/freePort.js"

export const ROOT = join(import.meta.dirname, "../../../..")

/** For each program of the product, the npm script that starts the built program. */
const PRODUCT = { server: "start", worker: "worker" } as const

/** The role by which memory peaks are grouped. */
export type Role = "server" | "worker" | "embedded" | "other"

export interface Running {
  readonly name: string
  readonly role: Role
  readonly pid: number
  readonly child: ChildProcess
  /** The file that has the CPU profile when the program has ended; undefined when no profile is made. */
  readonly profile: string | undefined
  /** Everything that the program has written so far, to both streams. */
  readonly output: () => string
  /** The highest resident memory so far; null once the program has ended. */
  readonly peakMB: () => number | null
  /** Throws with the program's last output if the program has ended. */
  readonly mustRun: () => void
  /** Fails with the program's last output when the program ends. Callers race this promise with a program's answer. */
  readonly untilEnd: Promise<never>
  /** Sends SIGTERM, and SIGKILL 15 s later if necessary, and waits until the program has ended. */
  readonly stop: () => Promise<void>
}

type Environment = Readonly<Record<string, string>>

/**
 * Starts a program of the product, with the given environment and without the benchmark's own variables. `profile` is
 * the file for a CPU profile. `tree` is the folder of another clone of the repository, whose program is started.
 */
export const product = (
  program: keyof typeof PRODUCT,
  environment: Environment,
  role: Role = program,
  profile?: string,
  tree: string = ROOT
): Running => {
  const profiling =
    profile === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${dirname(profile)}`, `--cpu-prof-name=${basename(profile)}`]
  return { ...launch(program, role, [...profiling, ...commandOf(PRODUCT[program], tree)], environment), profile }
}

/**
 * Starts a TypeScript file of the benchmark as a separate process. The file reads `args` from `process.argv`.
 * `packages` says whether the file imports the product's packages as sources or as built files.
 */
export const source = (
  name: string,
  path: string,
  environment: Environment = {},
  args: ReadonlyArray<string> = [],
  packages: "sources" | "built" = "sources"
): Running => {
  const conditions = packages === "sources" ? ["--conditions=@place-access/source"] : []
  return launch(name, "other", [...conditions, "--import", "tsx", path, ...args], environment)
}

/** Starts a plain JavaScript file, such as a peer: a server or job queue that is compared with the product. */
export const script = (name: string, path: string, environment: Environment = {}, args: ReadonlyArray<string> = []) =>
  launch(name, "other", [path, ...args], environment)

const launch = (name: string, role: Role, args: ReadonlyArray<string>, environment: Environment): Running => {
  const { HOME = "", PATH = "" } = process.env
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { HOME, PATH, ...environment },
    // A program of the product gets no IPC channel, because a real service has none.
    stdio: role === "other" ? ["ignore", "pipe", "pipe", "ipc"] : ["ignore", "pipe", "pipe"]
  })
  const chunks: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk))
  }
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => (chunks.push(String(error)), resolve()))
    child.once("exit", () => resolve())
  })
  const pid = child.pid ?? -1
  const output = () => chunks.join("")
  const mustRun = () => {
    if (isRunning(child)) return
    throw new Error(`the ${name} ended (${child.exitCode ?? child.signalCode}):\n${output().slice(-4_000)}`)
  }
  const untilEnd = ended.then(() => {
    mustRun()
    throw new Error(`the ${name} could not be started:\n${output().slice(-4_000)}`)
  })
  // A program may end while nobody waits for `untilEnd`. Without this handler, the unhandled rejection would end the
  // benchmark.
  untilEnd.catch(() => undefined)
  return {
    name,
    role,
    pid,
    child,
    profile: undefined,
    output,
    peakMB: () => Usage.peakMB(pid),
    mustRun,
    untilEnd,
    stop: async () => {
      if (!isRunning(child)) return
      child.kill("SIGTERM")
      const killed = setTimeout(() => child.kill("SIGKILL"), 15_000)
      await ended
      clearTimeout(killed)
    }
  }
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

/**
 * How long to wait for a program to be ready. A machine that does other work at the same time needs minutes to start an
 * embedded database.
 */
const PATIENCE_MS = 240_000

/** Waits until `check` returns true; fails when the program ends first, or after `PATIENCE_MS`. */
export const until = async (running: Running, what: string, check: () => Promise<boolean> | boolean): Promise<void> => {
  for (const start = performance.now(); ;) {
    running.mustRun()
    if (await check()) return
    if (performance.now() - start > PATIENCE_MS) throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} s`)
    await sleep(5)
  }
}

/** Waits until the address gives an answer with a status of 2xx. */
export const answers = (running: Running, url: string): Promise<void> =>
  until(running, url, async () => {
    try {
      const answer = await fetch(url)
      await answer.body?.cancel()
      return answer.ok
    } catch {
      return false
    }
  })

/** The port that a process of the benchmark reports with `{ _tag: "Listening", port }`. */
export const portOf = async (running: Running): Promise<number> => {
  let port = 0
  running.child.once("message", (message: { readonly port: number }) => (port = message.port))
  await until(running, `the ${running.name}`, () => port > 0)
  return port
}
