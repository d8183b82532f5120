import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeDataFolder } from "../../../packages/adapters-pg/test/support/embedded.js"
import { describeServers, type TestDatabase } from "../../../packages/adapters-pg/test/support/postgres.js"
import { VERSION } from "../../worker/src/version.js"
import { client } from "./support/client.js"
import { shortCommandOf } from "./support/commandOf.js"
import { freePort } from "./support/freePort.js"
import { ready, type Running, useProcesses, workerReady } from "./support/processes.js"
import { until } from "./support/until.js"

/** Runs a command until it ends, with the given text on its standard input. */
const command = async (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>, input = "") => {
  const child = spawn(process.execPath, [...shortCommandOf("start"), ...args], { env: environment, stdio: "pipe" })
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
  return { code: code as number | null, stdout, stderr }
}

const folder = () => mkdtemp(join(tmpdir(), "place-access-"))

/**
 * Sends a request with only the beginning of its body. The server then handles the request and waits for the remaining
 * bytes, which this function returns.
 */
const unfinishedSignIn = async (port: number): Promise<{ readonly socket: Socket; readonly body: string }> => {
  const body = JSON.stringify({ email: "nobody@example.test", password: "wrong password" })
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  socket.write(
    `POST /v1/session HTTP/1.1\r\nhost: localhost:${port}\r\norigin: http://localhost:${port}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`
  )
  return { socket, body: body.slice(5) }
}

const answerOf = (socket: Socket): Promise<string> => text(socket)

/** Waits until the process has logged that it is stopping. */
const stopping = (server: Running): Promise<unknown> =>
  until("the server says that it stops", () => (server.output().includes("stopping") ? true : undefined))

describe("the server, embedded", () => {
  const processes = useProcesses()
  let dataDir: string
  let port: number
  let server: Running

  const start = async (): Promise<Running> => {
    const one = processes.start("server", { DATA_DIR: dataDir, PORT: String(port), LOG_FORMAT: "json" })
    await ready(one, `http://localhost:${port}`)
    return one
  }
  beforeAll(async () => {
    ;[dataDir, port] = await Promise.all([folder(), freePort()])
    server = await start()
  })
  afterAll(async () => {
    await server.stop("SIGKILL")
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })

  it("needs nothing but a folder, and keeps database, keys and lock in it", async () => {
    expect((await readdir(dataDir)).sort()).toEqual(["control.sock", "database", "lock", "secret-keys"])
    expect((await stat(join(dataDir, "control.sock"))).mode & 0o777).toBe(0o600)
    const answer = await client(`http://localhost:${port}`).call("GET", "/healthz")
    expect([answer.status, answer.json]).toEqual([200, { status: "ok", version: VERSION }])
  })

  it("logs one JSON object a line when asked to", () => {
    const lines = server.output().trim().split("\n")
    expect(lines.map((line) => JSON.parse(line).message)).toContain(`ready at http://localhost:${port}`)
  })

  it("a second one in the same folder is refused and says why; the first goes on", async () => {
    const second = await command([], { DATA_DIR: dataDir, PORT: String(await freePort()) })
    expect(second.code).toBe(1)
    expect(second.stderr).toContain(`in use by process ${server.pid}`)
    expect((await client(`http://localhost:${port}`).call("GET", "/readyz")).status).toBe(200)
  })

  it("told to stop it accepts nothing more, finishes what is under way and ends with 0", async () => {
    const { body, socket } = await unfinishedSignIn(port)
    const answer = answerOf(socket)
    const ended = server.stop("SIGTERM")
    await stopping(server)
    await expect(fetch(`http://localhost:${port}/healthz`)).rejects.toThrow("fetch failed")
    socket.write(body)
    expect(await answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close[\s\S]*"statusCode":401/i)
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(await readdir(dataDir)).not.toContain("lock")
  })

  it("after a signal to stop it does not wait without a limit for a request that nobody finishes", async () => {
    server = await start()
    const { socket } = await unfinishedSignIn(port)
    socket.on("error", () => undefined)
    expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null })
  })

  it("told twice it stops at once, and starts again over the lock that it left", async () => {
    server = await start()
    const { socket } = await unfinishedSignIn(port)
    socket.on("error", () => undefined)
    process.kill(server.pid, "SIGTERM")
    await stopping(server)
    expect(await server.stop("SIGTERM")).toEqual({ code: null, signal: "SIGTERM" })
    expect(await readdir(dataDir)).toContain("lock")
    server = await start()
  })
})

describe("what keeps a program from starting", () => {
  it("settings that cannot be used: all of them, on lines of their own, and the code 78", async () => {
    const { code, stderr, stdout } = await command([], { PORT: "eighty", SIGN_UP: "maybe", LOG_LEVEL: "loud" })
    expect([code, stdout]).toEqual([78, ""])
    for (const name of ["PORT must be", "SIGN_UP must be", "LOG_LEVEL must be"]) {
      expect(stderr).toMatch(new RegExp(`^  ${name}`, "m"))
    }
    expect(stderr).not.toContain("at ")
  })

  it("ends with a sentence when its port is taken", async () => {
    const [dataDir, other] = [await folder(), createServer().listen(0, "127.0.0.1")]
    await once(other, "listening")
    const { port } = other.address() as { readonly port: number }
    const { code, stderr } = await command([], { DATA_DIR: dataDir, PORT: String(port) })
    other.close()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    expect(code).toBe(1)
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use by another program: choose another port with PORT.`)
  })

  it("a command that does not exist: the code 64, and where to look", async () => {
    const { code, stderr } = await command(["dance"], {})
    expect(code).toBe(64)
    expect(stderr).toContain('There is no command "dance". Try: npm start -- help')
  })

  it("a worker without a database that it could share", async () => {
    const worker = useWorker()
    expect((await worker.ended).code).toBe(78)
    expect(worker.output()).toContain("DATABASE_URL is missing")
  })
  const processes = useProcesses()
  const useWorker = () => processes.start("worker", {})
})

describe("the embedded database and its keys", () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await folder()
  })
  afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const migrate = (more: Readonly<Record<string, string>> = {}) =>
    command(["migrate"], { DATA_DIR: dataDir, LOG_LEVEL: "error", ...more })

  it("migrate in an empty folder makes both, so that the next start finds them", async () => {
    expect(await migrate()).toMatchObject({ code: 0, stderr: "" })
    expect((await readdir(dataDir)).sort()).toEqual(["database", "secret-keys"])
    expect(await migrate()).toMatchObject({ code: 0, stderr: "" })
  })

  it("a file with other keys is refused by its name, with the code 78", async () => {
    const file = join(dataDir, "secret-keys")
    const before = await readFile(file)
    await writeFile(file, `k1:${randomBytes(32).toString("base64")}\n`)
    const { code, stderr } = await migrate()
    expect([code, stderr]).toEqual([78, expect.stringContaining(`The keys in ${file} are not those of this database`)])
    await writeFile(file, before)
    expect(await migrate()).toMatchObject({ code: 0 })
  })
})

describe("account create", () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await makeDataFolder()
  })
  afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const create = (args: ReadonlyArray<string>, input?: string) =>
    command(["account", "create", ...args], { DATA_DIR: dataDir, LOG_LEVEL: "error" }, input)

  it("takes the password from standard input and does not show it", async () => {
    const args = ["--email", "Ada@example.test", "--role", "admin", "--password-stdin"]
    const { code, stderr, stdout } = await create(args, "correct horse battery\n")
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toBe("Made an account for ada@example.test: admin.\n")
  })

  it("an e-mail that is taken changes nothing", async () => {
    const { code, stderr } = await create(["--email", "ada@example.test", "--password-stdin"], "another password")
    expect(code).toBe(1)
    expect(stderr).toContain("ada@example.test has an account already")
  })

  it("a password that is too short is refused", async () => {
    const { code, stderr } = await create(["--email", "bob@example.test", "--password-stdin"], "short")
    expect(code).toBe(1)
    expect(stderr).toContain("The password must be at least 10 characters.")
  })

  it("where nobody can be asked it makes one up and shows it once; both sign in, and commands go through the running server [staff-3, staff-4]", async () => {
    const { code, stdout } = await create(["--email", "eve@example.test", "--role", "developer"])
    expect(code).toBe(0)
    const made = /shown only once: (\S+)/.exec(stdout)?.[1]
    expect(made).toMatch(/^[0-9a-z-]{20,}$/)

    const port = await freePort()
    const server = processes.start("server", { DATA_DIR: dataDir, PORT: String(port) })
    await ready(server, `http://localhost:${port}`)
    for (const [email, password, role] of [
      ["ada@example.test", "correct horse battery", "admin"],
      ["eve@example.test", made, "developer"]
    ]) {
      const answer = await client(`http://localhost:${port}`).call("POST", "/v1/session", { json: { email, password } })
      expect(answer.status).toBeLessThan(300)
      expect(answer.text).toContain(role)
    }

    // The server has the database open, so the commands use the server's socket.
    const account = (...args: ReadonlyArray<string>) =>
      command(["account", ...args], { DATA_DIR: dataDir, PORT: String(port) })
    const signIn = async () => {
      const json = { email: "eve@example.test", password: made }
      return (await client(`http://localhost:${port}`).call("POST", "/v1/session", { json })).status
    }
    expect(JSON.parse((await account("role", "eve@example.test", "give", "reviewer", "--json")).stdout)).toMatchObject({
      email: "eve@example.test",
      roles: ["developer", "reviewer"]
    })
    expect((await account("suspend", "eve@example.test")).stdout).toContain("eve@example.test is suspended")
    expect(await signIn()).toBe(403)
    expect((await account("resume", "eve@example.test")).code).toBe(0)
    expect(await signIn()).toBe(201)
    const last = await account("role", "ada@example.test", "take", "admin")
    expect([last.code, last.stderr]).toEqual([
      1,
      "ada@example.test: this is the only admin: the service needs another one first. Nothing was changed.\n"
    ])
    // Somebody who signs up has an address that is not confirmed yet. The command confirms it.
    const json = { email: "ben@example.test", password: "correct horse battery" }
    expect((await client(`http://localhost:${port}`).call("POST", "/v1/accounts", { json })).status).toBe(201)
    expect((await account("confirm", "ben@example.test")).stdout).toContain("ben@example.test is confirmed")
    expect((await account("delete", "ben@example.test", "--yes")).code).toBe(0)
    expect((await create(["--email", "late@example.test"])).stdout).toMatch(
      /^Made an account .*\n.*shown only once: \S+/
    )
    expect((await create(["--email", "late@example.test"])).stderr).toContain("has an account already")
    expect((await account("delete", "late@example.test", "--yes")).code).toBe(0)
    const status = await command(["keys", "status"], { DATA_DIR: dataDir })
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("k1: the current key")])
    const again = await command(["keys", "reencrypt"], { DATA_DIR: dataDir })
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringMatching(/^Nothing was encrypted again\.\nk1: the current key/)
    ])
    expect((await account("delete", "eve@example.test")).stderr).toContain("give --yes")
    expect((await account("delete", "eve@example.test", "--yes")).code).toBe(0)
    const left = JSON.parse((await account("list", "--json")).stdout)
    expect(left.accounts.map(({ email }: { readonly email: string }) => email)).toEqual(["ada@example.test"])
    // A server has the database open, so the doctor must check the database without opening it.
    const doctor = await command(["doctor", "--json"], { DATA_DIR: dataDir, PORT: String(port) })
    const { findings } = JSON.parse(doctor.stdout)
    const states = Object.fromEntries(
      findings.map(({ check, state }: { readonly check: string; readonly state: string }) => [check, state])
    )
    expect(states).toMatchObject({ settings: "ok", database: "ok", keys: "ok", mail: "ok", BASE_URL: "ok" })
    await server.stop("SIGKILL")

    // No server listens on a socket that a killed server left behind, so the command opens the database itself.
    const alone = await command(["keys", "status", "--json"], { DATA_DIR: dataDir })
    expect(JSON.parse(alone.stdout)).toMatchObject({ keys: [{ id: "k1", state: "current", may_go: false }] })
    expect((await account("show", "ada@example.test")).stdout).toContain("Roles: admin")
    expect((await command(["account", "create", "--email", "last@example.test"], { DATA_DIR: dataDir })).code).toBe(0)
  })
  const processes = useProcesses()
})

describeServers("servers and workers", ({ freshDatabase }) => {
  const processes = useProcesses()
  const SECRET_KEYS = `k1:${randomBytes(32).toString("base64")}`
  let database: TestDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database.drop())

  it("any number may start at once on an empty database; migrate finds nothing left to do", async () => {
    const environment = {
      DATABASE_URL: database.url,
      SECRET_KEYS,
      LOG_FORMAT: "json"
    }
    const ports = [await freePort(), await freePort()]
    const servers = ports.map((port) => processes.start("server", { ...environment, PORT: String(port) }))
    const workers = [1, 2].map(() => processes.start("worker", environment))
    await Promise.all(servers.map((server, index) => ready(server, `http://localhost:${ports[index]}`)))
    await Promise.all(workers.map(workerReady))
    const all = [...servers, ...workers]
    expect(all.filter((one) => /\b\d+ migrations applied, the newest is \w+"/.test(one.output()))).toHaveLength(1)

    const { code, stdout } = await command(["migrate"], environment)
    expect([code, stdout.includes("The database is up to date.")]).toEqual([0, true])

    for (const one of all) expect(await one.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    const left = new pg.Client({ connectionString: database.url })
    await left.connect()
    const connections = await left.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name like 'place-access%'"
    )
    await left.end()
    expect(connections.rowCount).toBe(0)
  })

  it("keys that are not this database's: server, worker and commands end with one sentence and the code 78", async () => {
    const wrong = { DATABASE_URL: database.url, SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}` }
    const sentence =
      'The keys in SECRET_KEYS are not those of this database, which was last used with a key "k1": give that key too, behind newer ones; nothing was changed.\n'
    for (const args of [[], ["migrate"], ["account", "create", "--email", "eve@example.test"]]) {
      const { code, stderr } = await command(args, { ...wrong, PORT: String(await freePort()) })
      expect([code, stderr]).toEqual([78, sentence])
    }
    const worker = processes.start("worker", wrong)
    expect((await worker.ended).code).toBe(78)
    expect(worker.output()).toContain(sentence)
    const k2 = `k2:${randomBytes(32).toString("base64")}`
    const migrate = async (keys: string) => (await command(["migrate"], { ...wrong, SECRET_KEYS: keys })).code
    // A command leaves the canary as it is (decision settings-3), so the old key is still needed. A worker seals the
    // canary with its newest key, which alone is enough from then on.
    expect([await migrate(`${k2},${SECRET_KEYS}`), await migrate(k2)]).toEqual([0, 78])
    for (const [newest, older] of [[k2, SECRET_KEYS] as const, [SECRET_KEYS, k2] as const]) {
      const turning = processes.start("worker", { ...wrong, SECRET_KEYS: `${newest},${older}` })
      await workerReady(turning)
      await turning.stop("SIGTERM")
      expect([await migrate(newest), await migrate(older)]).toEqual([0, 78])
    }
  })

  it("an operator helps while the server runs: sees an account, signs it out, makes a link for a new password", async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const environment = { DATABASE_URL: database.url, SECRET_KEYS, BASE_URL: url, LOG_LEVEL: "error" }
    const server = processes.start("server", { ...environment, PORT: String(port) })
    await ready(server, url)
    const browser = client(url)
    const email = "ida@example.test"
    const made = { email, password: "correct horse battery" }
    expect((await browser.call("POST", "/v1/accounts", { json: made })).status).toBe(201)
    expect((await browser.call("POST", "/v1/session", { json: made })).status).toBe(201)
    const account = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await command(["account", ...args], environment)
      expect([code, stderr]).toEqual([0, ""])
      return stdout
    }
    const shown: unknown = JSON.parse(await account("show", "Ida@Example.test", "--json"))
    expect(shown).toMatchObject({ email, display_name: "ida", roles: [], sessions: [{ address: "127.0.0.1" }] })
    const sentence = await account("reset-link", email)
    const token = new RegExp(`^${url}/reset-password\\?token=(\\w+)$`, "m").exec(sentence)?.[1]
    const chosen = { token, password: "purple monkey dishwasher" }
    expect((await browser.call("POST", "/v1/password-resets/use", { json: chosen })).status).toBe(204)
    expect((await browser.call("POST", "/v1/password-resets/use", { json: chosen })).status).toBe(404)
    const again = { email, password: chosen.password }
    expect((await browser.call("POST", "/v1/session", { json: again })).status).toBe(201)
    expect(await account("end-sessions", email)).toBe(`Signed ${email} out of 1 browser.\n`)
    expect(await account("show", email)).toContain("Signed in: nowhere")
    const { code, stderr } = await command(["account", "show", "nobody@example.test"], environment)
    expect([code, stderr]).toEqual([1, "nobody@example.test has no account here. Nothing was changed.\n"])
    await server.stop("SIGTERM")
  })

  it("is not ready while the database is away, and is again when it answers", async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const server = processes.start("server", {
      DATABASE_URL: database.url,
      SECRET_KEYS,
      PORT: String(port)
    })
    await ready(server, url)
    const name = new URL(database.url).pathname.slice(1)
    const admin = new pg.Client({ connectionString: new URL("/postgres", database.url).href })
    await admin.connect()
    await admin.query(`alter database ${name} with allow_connections false`)
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name])
    const away = await client(url).call("GET", "/readyz")
    expect([away.status, away.headers.get("retry-after")]).toEqual([503, "1"])
    expect(away.json).toMatchObject({ statusCode: 503, error: "unavailable" })
    expect((await client(url).call("GET", "/healthz")).status).toBe(200)
    await admin.query(`alter database ${name} with allow_connections true`)
    await admin.end()
    await ready(server, url)
    expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null })
  })
})
