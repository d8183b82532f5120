import { execFile, spawnSync } from "node:child_process"
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { client } from "./support/client.js"
import { freePort } from "./support/freePort.js"
import { ready, useProcesses } from "./support/processes.js"

const ROOT = join(import.meta.dirname, "../../..")
const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-clone-"))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const processes = useProcesses()

it("from a clone, `npm ci --omit=dev && npm start` serves: an operator needs no tool of ours", async () => {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 24
  })
  for (const path of stdout.split("\0").filter((name) => name !== "" && !name.includes("/test/"))) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await cp(join(ROOT, path), join(folder, path))
  }
  await run("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder })
  const built = await run("npm", ["run", "--silent", "prestart"], { cwd: folder })
  expect(built.stdout).toMatch(/^Building server, [^]*Built in [\d.]+ s: apps\/server\/bundle\n$/)
  // No source has changed since the last build, so nothing is built, and nothing is printed.
  expect((await run("npm", ["run", "--silent", "prestart"], { cwd: folder })).stdout).toBe("")

  const port = await freePort()
  const server = processes.start("server", { DATA_DIR: join(folder, "data"), PORT: String(port) }, [], folder)
  await ready(server, `http://localhost:${port}`)
  expect((await client(`http://localhost:${port}`).call("GET", "/openapi.json")).status).toBe(200)
  expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null })
})
