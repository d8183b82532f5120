import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeDataFolder } from "../../../../packages/adapters-pg/test/support/embedded.js"
import { client } from "../support/client.js"
import { freePort } from "../support/freePort.js"
import { useProcesses } from "../support/processes.js"
import { newFolder, startWorld, type TestWorld } from "./support.js"

const VIRTUAL = ["--clock", "virtual"]
/** Keys that need not be secret, because no server of these tests opens its database. */
const KEYS = `k:${"A".repeat(43)}=`

describe("a test world holds no real data [virtual-time-1]", () => {
  const processes = useProcesses()
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "place-access-refused-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** Starts a server that must end immediately. Returns its exit code and output. */
  const refused = async (environment: Readonly<Record<string, string>>, args: ReadonlyArray<string> = VIRTUAL) => {
    const port = String(await freePort())
    const server = processes.start("server", { DATA_DIR: join(folder, "new"), PORT: port, ...environment }, args)
    const { code } = await server.ended
    return [code, server.output()]
  }

  it.each([
    [{ DATABASE_URL: "postgres://nobody@127.0.0.1:9/db", SECRET_KEYS: KEYS }, "DATABASE_URL"],
    [{ BASE_URL: "https://places.example" }, "BASE_URL"],
    [{ USER_PORTAL_URL: "https://me.places.example" }, "BASE_URL"],
    [{ HOST: "0.0.0.0" }, "HOST"],
    [{ SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "Places <places@example.test>" }, "SMTP_URL"]
  ])("--clock virtual is refused with %o, and nothing is written", async (environment, name) => {
    expect(await refused(environment)).toEqual([78, expect.stringContaining(name)])
    expect(existsSync(join(folder, "new"))).toBe(false)
  })

  it("a virtual start refuses the folder of an ordinary service, and leaves it as it is", async () => {
    const ordinary = await makeDataFolder()
    expect(await refused({ DATA_DIR: ordinary })).toEqual([78, expect.stringContaining("ordinary service")])
    expect(existsSync(join(ordinary, "test-world.json"))).toBe(false)
    await rm(ordinary, { recursive: true, force: true })
  })

  it("an ordinary start and db copy refuse the folder of a test world, and a second seed is refused", async () => {
    const world = await startWorld(processes, await newFolder(), ["--seed", "one", "--at", "2027-01-01T00:00:00Z"])
    expect(new Date(await world.now()).toISOString()).toBe("2027-01-01T00:00:00.000Z")
    await world.clock({ advance: "2h" })
    await world.server.stop("SIGTERM")
    const { dataDir } = world
    const mark = JSON.parse(await readFile(join(dataDir, "test-world.json"), "utf8")) as unknown
    expect(mark).toEqual({ now: Date.parse("2027-01-01T02:00:00Z"), seed: "one", starts: 1 })
    expect(await refused({ DATA_DIR: dataDir }, [])).toEqual([78, expect.stringContaining("test world")])
    const keys = { SECRET_KEYS: KEYS }
    const target = { DATABASE_URL: "postgres://nobody@127.0.0.1:9/db", ...keys }
    expect(await refused(target, ["db", "copy", dataDir])).toEqual([78, expect.stringContaining("test world")])
    expect(await refused({ DATA_DIR: dataDir }, [...VIRTUAL, "--seed", "two"])).toEqual([
      64,
      expect.stringContaining("--seed")
    ])
    await world.close()
  })

  it.each([[["--clock", "fast"]], [["--seed", "a"]], [[...VIRTUAL, "--seed", "a b"]], [[...VIRTUAL, "--at", "now"]]])(
    "the command line %o is refused",
    async (args) => {
      expect((await refused({}, args))[0]).toBe(64)
    }
  )
})

describe("only this machine moves the clock, and no foreign page does [virtual-time-3]", () => {
  const processes = useProcesses()
  let world: TestWorld
  beforeAll(async () => {
    world = await startWorld(processes)
  })
  afterAll(() => world?.close())

  /** The status of the answer to a request with exactly these headers. `fetch` would replace some of them. */
  const status = (path: string, method: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    new Promise((resolve, reject) => {
      const body = method === "GET" ? "" : '{"advance":"1d"}'
      const all = { "content-type": "application/json", "content-length": String(body.length), ...headers }
      const call = request(`${world.url}${path}`, { method, headers: all }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      call.once("error", reject)
      call.end(body)
    })

  it.each([
    [{ origin: "http://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "same-site" }, 403],
    [{ host: "evil.example" }, 404],
    [{ host: "localhost.evil.example" }, 404],
    [{ "x-forwarded-for": "203.0.113.1" }, 404]
  ])("a call with %o is answered %i and moves nothing", async (headers, expected) => {
    const before = await world.now()
    expect(await status("/dev/clock", "POST", headers)).toBe(expected)
    expect(await status("/dev/snapshot", "POST", headers)).toBe(expected)
    expect(await world.now()).toBe(before)
    // A GET changes nothing, so the server checks only the host name and not the origin.
    expect(await status("/dev/clock", "GET", headers)).toBe(expected === 404 ? 404 : 200)
  })

  it("a form or a text that a foreign page can send without asking is refused", async () => {
    const before = await world.now()
    expect(await status("/dev/clock", "POST", { "content-type": "text/plain" })).toBe(415)
    expect(await world.now()).toBe(before)
  })

  it.each([
    {},
    { advance: "1d", rate: 1 },
    { advance: "1h", extra: 1 },
    { advance: "9999d" },
    { advance: "-1d" },
    { to: "tomorrow" },
    { rate: -1 },
    { rate: 1e9 }
  ])("the order %o is refused", async (json) => {
    const { json: answer, status: code } = await client(world.url).call("POST", "/dev/clock", { json })
    expect([code, answer]).toMatchObject([400, { error: "validation_failed" }])
  })

  it("a page shows the clock, and the buttons of its bar move it", async () => {
    const visitor = client(world.url)
    const before = await world.now()
    const page = await visitor.call("GET", "/sign-in")
    expect(page.text).toContain("Test world.")
    expect(page.headers.get("cache-control")).toBe("no-store")
    const moved = await visitor.call("POST", "/dev/clock", { form: { advance: "14d", return_to: "/sign-in?a=b" } })
    expect([moved.status, moved.headers.get("location")]).toEqual([303, "/sign-in?a=b"])
    expect(await world.now()).toBe(before + 14 * 86_400_000)
    const away = await visitor.call("POST", "/dev/clock", { form: { advance: "1m", return_to: "//evil.example" } })
    expect(away.headers.get("location")).toBe("/")
  })
})
