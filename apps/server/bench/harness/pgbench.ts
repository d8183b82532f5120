import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { percentile } from "./percentile.js"
import type { Sample } from "./Row.js"

/** A run of pgbench, PostgreSQL's own benchmark program, which shows what the database can do without the product. */
export interface Pgbench {
  readonly databaseUrl: string
  /**
   * Statements that have `:name` in place of the parts that change. `fill` makes them from statements that the product
   * sent.
   */
  readonly script: string
  readonly clients: number
  /** The start values of each client's variables. */
  readonly variables?: Readonly<Record<string, number>>
  readonly seconds: number
  readonly warmUpSeconds?: number
  /** How many operations one run of the script counts as. */
  readonly operationsPerRun?: number
}

const run = promisify(execFile)

export const pgbench = async ({
  clients,
  databaseUrl,
  operationsPerRun = 1,
  script,
  seconds,
  variables = {},
  warmUpSeconds = 0.5
}: Pgbench): Promise<Sample> => {
  const directory = await mkdtemp(join(tmpdir(), "place-access-pgbench-"))
  try {
    const file = join(directory, "script.sql")
    await writeFile(file, script)
    const prefix = join(directory, "log")
    const defined = Object.entries(variables).flatMap(([name, value]) => ["-D", `${name}=${value}`])
    const shape = ["-M", "prepared", "-j", "1", "-c", String(clients), "-T", String(Math.ceil(seconds + warmUpSeconds))]
    const args = ["-n", ...shape, ...defined, "-f", file, "--log", `--log-prefix=${prefix}`, databaseUrl]
    await run("pgbench", args, { cwd: directory })
    const logs = (await readdir(directory)).filter((name) => name.startsWith("log."))
    const lines = (await Promise.all(logs.map((name) => readFile(join(directory, name), "utf8")))).join("").trim()
    return summarise(lines.split("\n"), warmUpSeconds, seconds, operationsPerRun)
  } catch (error) {
    throw new Error(reason(error as Failure), { cause: error })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

interface Failure extends Error {
  readonly code?: unknown
  readonly stderr?: string
}

const reason = ({ code, message, stderr = "" }: Failure): string =>
  code === "ENOENT"
    ? "there is no pgbench on the PATH; it comes with PostgreSQL"
    : `pgbench failed: ${stderr === "" ? message : stderr}`

/**
 * Makes the sample from pgbench's log. A line of the log is one transaction: client, number, latency in microseconds,
 * file, and the time of its end in seconds and microseconds.
 */
const summarise = (
  lines: ReadonlyArray<string>,
  warmUpSeconds: number,
  seconds: number,
  operationsPerRun: number
): Sample => {
  const all = lines.map((line) => {
    const [, , micros, , s, us] = line.split(" ").map(Number)
    return { ms: (micros ?? 0) / 1_000, endedAt: (s ?? 0) + (us ?? 0) / 1e6 }
  })
  const start = all.reduce((first, { endedAt }) => Math.min(first, endedAt), Infinity) + warmUpSeconds
  const latenciesMs = all
    .filter(({ endedAt }) => endedAt >= start && endedAt < start + seconds)
    .map(({ ms }) => ms)
    .toSorted((a, b) => a - b)
  return {
    operations: latenciesMs.length * operationsPerRun,
    seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuMicrosPerOp: null,
    peakMB: null
  }
}

/**
 * Makes a statement for pgbench: replaces each `$n` by the `expression` for its parameter (counted from 0), such as
 * `:user` or `'usr_b' || :user`. pgbench sends the values of variables such as `:user` as parameters.
 */
export const fill = (text: string, expression: (index: number) => string): string =>
  `${text
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\$(\d+)/g, (_, number: string) => expression(Number(number) - 1))
    .replaceAll(/\s+/g, " ")};`
