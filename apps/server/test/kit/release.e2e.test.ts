import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { describeServers, type TestDatabase } from "../../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "../support/client.js"
import { freePort } from "../support/freePort.js"
import { signUp } from "../support/people.js"
import { ready, useProcesses, workerReady } from "../support/processes.js"

const ROOT = join(import.meta.dirname, "../../../..")
const run = promisify(execFile)

let made: string
/** The folder with the unpacked release, outside of the repository. */
let folder: string
let version: string

/** The release is made once for the whole file, because it is the same for every kind of database. */
beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), "place-access-release-"))
  await run(process.execPath, [join(ROOT, ".ci/release.mjs"), join(made, "out"), "--here"], { cwd: ROOT })
  const [archive = ""] = (await readdir(join(made, "out"))).filter((name) => name.endsWith(".tar.gz"))
  await run("sha256sum", ["--check", `${archive}.sha256`], { cwd: join(made, "out") })
  await run("mkdir", [join(made, "in")])
  await run("tar", ["-xzf", join(made, "out", archive), "-C", join(made, "in")])
  const [name = ""] = await readdir(join(made, "in"))
  folder = join(made, "in", name)
  version = name.replace("place-access-", "")
})
afterAll(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))

describe("the folder of a release", () => {
  const processes = useProcesses()

  it("starts without a build and without an installation, and says its version", async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const server = processes.start("server", { DATA_DIR: join(made, "data"), PORT: String(port) }, [], folder)
    await ready(server, url)
    const health = await client(url).call("GET", "/healthz")
    expect(health.json).toEqual({ status: "ok", version })
    expect(version).toMatch(/^\d+\.\d+\.\d+(?:\+[0-9a-f]{12})?$/)
    expect((await client(url).call("GET", "/openapi.json")).json).toMatchObject({ info: { version } })
    // The next two requests need files of the release: the page of the quick start, and the native module that hashes
    // passwords.
    expect((await client(url).call("GET", "/docs/quick-start")).status).toBe(200)
    await signUp(url, "release")
    expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    expect(server.output()).not.toContain("Building")
    expect(server.output()).not.toMatch(/npm run (?!worker\b)/)
  })

  it("`--version` of server and worker says it too", async () => {
    for (const app of ["server", "worker"]) {
      const { stdout } = await run(process.execPath, [join(folder, `apps/${app}/bundle/main.js`), "--version"])
      expect(stdout).toBe(`${version}\n`)
    }
    const { stdout } = await run("npm", ["start", "--silent", "--", "--version"], { cwd: folder })
    expect(stdout).toBe(`${version}\n`)
  })

  it("has only the packages that no bundle can hold, and `npm ci` finds them by its lock file", async () => {
    const packages = (await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith("."))
    expect(packages.sort()).toEqual(["@electric-sql", "@node-rs", "@place-access", "leaflet"])
    await run("npm", ["ci", "--omit=dev", "--dry-run", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder })
  })

  it("names no folder of the machine that made it", async () => {
    const { stdout } = await run("grep", ["-rlaF", ROOT, folder]).catch((error: { readonly stdout: string }) => error)
    expect(stdout).toBe("")
  })

  it("has a unit, an image and a proxy to copy, and the documents that they name", async () => {
    expect((await readdir(folder)).sort()).toEqual([
      ".node-version",
      ".npmrc",
      "README.md",
      "apps",
      "deploy",
      "docs",
      "node_modules",
      "package-lock.json",
      "package.json",
      "packages"
    ])
    expect(await readFile(join(folder, "deploy/systemd/place-access.service"), "utf8")).toContain("ExecStart=")
  })
})

describeServers("the folder of a release", ({ freshDatabase }) => {
  const processes = useProcesses()
  let database: TestDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database?.drop())

  it("has the migrations in it: a server and a worker start on an empty database", async () => {
    const port = await freePort()
    const environment = {
      DATABASE_URL: database.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      PORT: String(port)
    }
    const server = processes.start("server", environment, [], folder)
    await ready(server, `http://localhost:${port}`)
    const worker = processes.start("worker", environment, [], folder)
    await workerReady(worker)
    for (const one of [worker, server]) expect(await one.stop("SIGTERM")).toEqual({ code: 0, signal: null })
  })
})
