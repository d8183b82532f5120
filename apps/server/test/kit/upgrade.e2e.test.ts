import { execFile, execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers, type TestDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "../support/client.js"
import { freePort } from "../support/freePort.js"
import { reading } from "../support/phone.js"
import { ready, type Running, useProcesses, workerReady } from "../support/processes.js"
import { type Receiver, startReceiver } from "../support/receiver.js"
import { until } from "../support/until.js"
import { beginLife, goesOn, type Life } from "./support.js"

const ROOT = join(import.meta.dirname, "../../../..")
const MIGRATIONS = "packages/adapters-pg/src/schema/migrations/index.ts"
const run = promisify(execFile)
const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

/**
 * The commit of the last release, or else the commit before the last change of the schema; undefined in a clone without
 * that history.
 */
const previousVersion = (): string | undefined => {
  try {
    const [tag = ""] = git("tag", "--list", "v*", "--sort=-v:refname").split("\n")
    if (tag !== "") return tag
    return git("rev-parse", "--verify", `${git("log", "-1", "--format=%H", "--", MIGRATIONS)}^`)
  } catch {
    return undefined
  }
}

/** Builds the programs of another version in `folder`, as an operator of that version would. */
const checkOut = async (commit: string, folder: string): Promise<void> => {
  await mkdir(folder)
  const archive = join(folder, "..", "old.tar")
  await run("git", ["archive", "--output", archive, commit], { cwd: ROOT })
  await run("tar", ["-xf", archive, "-C", folder])
  await run("npm", ["ci", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder
  })
  await run(process.execPath, [join(folder, "apps/server/bundle.mjs")], { cwd: folder })
}

const previous = previousVersion()
let made: string
beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), "place-access-upgrade-"))
  if (previous !== undefined) await checkOut(previous, join(made, "old"))
}, 240_000)
afterAll(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))

interface Version {
  readonly url: string
  readonly server: Running
  readonly worker: Running
  isReady: boolean
}

describeServers("one version up and back, under load", ({ freshDatabase }) => {
  const processes = useProcesses()
  let database: TestDatabase
  let receiver: Receiver
  beforeAll(async () => {
    ;[database, receiver] = await Promise.all([freshDatabase(), startReceiver()])
  })
  afterAll(async () => {
    await receiver?.close()
    await database?.drop()
  })

  it("no upload fails, and tokens, rules and signing secrets go on", async ({ skip }) => {
    if (previous === undefined) return skip("this clone has no earlier version: fetch its history")
    const shared = {
      DATABASE_URL: database.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      ALLOW_INSECURE_WEBHOOKS: "true",
      DRAIN_SECONDS: "2",
      LOG_FORMAT: "json"
    }
    const targets: Array<Version> = []
    const start = async (root: string): Promise<Version> => {
      const port = await freePort()
      const url = `http://localhost:${port}`
      const server = processes.start("server", { ...shared, PORT: String(port) }, [], root)
      await ready(server, url)
      const worker = processes.start("worker", shared, [], root)
      await workerReady(worker)
      const version = { url, server, worker, isReady: true }
      targets.push(version)
      return version
    }
    const stop = async ({ server, worker }: Version): Promise<void> => {
      expect(await Promise.all([server.stop("SIGTERM"), worker.stop("SIGTERM")])).toEqual([
        { code: 0, signal: null },
        { code: 0, signal: null }
      ])
    }
    const old = join(made, "old")
    expect(existsSync(join(old, "apps/server/bundle/main.js"))).toBe(true)

    const first = await start(old)
    const lives: ReadonlyArray<Life> = [await beginLife(first.url, receiver), await beginLife(first.url, receiver)]
    const [up, back] = lives
    if (up === undefined || back === undefined) throw new Error("two people")

    // `look` simulates a load balancer, which polls /readyz. `phone` simulates a phone, whose uploads go to a server
    // that is ready.
    const progress = { isOver: false, answered: 0 }
    const failures: Array<unknown> = []
    const look = async (): Promise<void> => {
      while (!progress.isOver) {
        for (const target of targets) {
          target.isReady = await fetch(`${target.url}/readyz`)
            .then(async (answer) => (await answer.arrayBuffer(), answer.ok))
            .catch(() => false)
        }
        await pause(50)
      }
    }
    const phone = async ({ deviceToken }: Life): Promise<void> => {
      for (let turn = 0; !progress.isOver; turn++) {
        const able = targets.filter(({ isReady }) => isReady)
        const target = able[turn % able.length]
        try {
          const { status } = await client(target?.url ?? "").call("POST", "/v1/phone/locations", {
            token: deviceToken,
            json: { locations: [reading(Date.now() - 7_200_000 + turn * 1_000, { lat: 53.9, lon: 3.1 })] }
          })
          if (status === 200) progress.answered++
          else failures.push(status)
        } catch (error) {
          failures.push(error)
        }
        await pause(10)
      }
    }
    const load = [look(), ...lives.map(phone)]
    const flows = async (): Promise<void> => {
      const before = progress.answered
      await until("uploads to flow", () => progress.answered > before + 20 || undefined)
    }
    try {
      await flows()
      const second = await start(ROOT)
      await flows()
      await stop(first)
      expect(await goesOn(second.url, up, receiver)).toEqual({ me: 200, verified: true })
      await flows()

      const third = await start(old)
      await flows()
      await stop(second)
      expect(await goesOn(third.url, back, receiver)).toEqual({ me: 200, verified: true })
      await flows()
    } finally {
      progress.isOver = true
      await Promise.all(load)
    }
    expect(failures).toEqual([])
  })
})
