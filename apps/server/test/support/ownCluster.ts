import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { freePort } from "./freePort.js"
import { until } from "./until.js"
import pg from "pg"

const run = promisify(execFile)

/**
 * The script that starts a cluster; `.ci/run` uses it too. It is outside of the repository, because the programs of a
 * cluster do not belong to this project.
 */
const SCRIPT = join(import.meta.dirname, "../../../../../shared/citus/cluster.sh")

export const hasClusterPrograms = existsSync(SCRIPT)

/**
 * Settings of each server. Without fsync, a commit does not wait for the disk, which is faster. A commit still waits
 * until the operating system has its part of the write-ahead log, so a killed process loses nothing that it
 * acknowledged.
 */
const CONF = "fsync = off\ncitus.recover_2pc_interval = 2s"

/** A cluster that a test may break. */
export interface OwnCluster {
  /** The address of the database `postgres` of each server, the coordinator first. */
  readonly nodes: ReadonlyArray<string>
  /** Kills all processes of a server (kill -9), and starts the server again after `millis`. */
  readonly killNode: (index: number, millis: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Kills a process, unless it has ended. A process of a server may end by itself when its parent is killed. */
const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

export const startCluster = async (servers: number): Promise<OwnCluster> => {
  const folder = await mkdtemp(join(tmpdir(), "place-access-citus-"))
  const distinct = new Set<number>()
  while (distinct.size < servers) distinct.add(await freePort())
  const ports = [...distinct]
  const stop = async () => {
    await run(SCRIPT, ["stop", folder])
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await run(SCRIPT, ["start", folder, ...ports.map(String)], { env: { ...process.env, CITUS_CONF: CONF } })
  } catch (error) {
    await stop()
    throw error
  }
  const nodes = ports.map((port) => `postgres://postgres@127.0.0.1:${port}/postgres`)
  return {
    nodes,
    killNode: async (index, millis) => {
      const data = join(folder, `node-${ports[index]}`)
      const [pid = ""] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")
      const { stdout } = await run("ps", ["-o", "pid=", "--ppid", pid])
      for (const one of [pid, ...stdout.trim().split(/\s+/)]) killIfThere(Number(one))
      await new Promise((resolve) => setTimeout(resolve, millis))
      // Starts the server, as a supervisor would after a crash. PostgreSQL refuses to run as root.
      const start = [
        join(folder, "pg/lib/postgresql/15/bin/pg_ctl"),
        "-D",
        data,
        "-s",
        "-w",
        "-l",
        `${data}.log`,
        "start"
      ]
      const [program = "", ...args] = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...start] : start
      await until("the node to start again", async () => (await run(program, args, { cwd: "/" }), true), 120_000)
      await until("the node to answer", async () => {
        const client = new pg.Client({ connectionString: nodes[index] })
        await client.connect()
        return client.end().then(() => true)
      })
    },
    stop
  }
}
