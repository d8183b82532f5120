import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers, type TestDatabase } from "../../../packages/adapters-pg/test/support/postgres.js"
import { VERSION } from "../../worker/src/version.js"
import { client } from "./support/client.js"
import { freePort } from "./support/freePort.js"
import { ready, useProcesses, workerReady } from "./support/processes.js"
import { tcpProxy } from "./support/tcpProxy.js"
import { until } from "./support/until.js"

describeServers("a process that starts while its database is away", ({ migratedDatabase }) => {
  const processes = useProcesses()
  let database: TestDatabase
  beforeAll(async () => {
    database = await migratedDatabase()
  })
  afterAll(() => database?.drop())

  it("is alive and says at /readyz what is missing; it comes up when the database is back", async () => {
    const proxy = await tcpProxy(database.url)
    const port = await freePort()
    const url = `http://localhost:${port}`
    const environment = {
      DATABASE_URL: proxy.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      LOG_FORMAT: "json"
    }
    const server = processes.start("server", { ...environment, PORT: String(port) })
    const metrics = await freePort()
    const worker = processes.start("worker", { ...environment, METRICS_PORT: String(metrics) })
    const health = () => client(`http://localhost:${metrics}`).call("GET", "/healthz")
    for (const one of [server, worker]) {
      await until("the process to miss its database", () => one.output().includes("does not answer yet") || undefined)
    }
    const alive = await client(url).call("GET", "/healthz")
    expect([alive.status, alive.json]).toEqual([200, { status: "starting", version: VERSION }])
    const idle = await health()
    expect([idle.status, idle.json]).toMatchObject([503, { status: "starting", version: VERSION }])
    const missing = await client(url).call("GET", "/readyz")
    expect([missing.status, missing.headers.get("retry-after")]).toEqual([503, "1"])
    expect(missing.json).toMatchObject({ message: "The server is starting: the database does not answer" })
    const other = await client(url).call("GET", "/v1/me")
    expect([other.status, other.headers.get("retry-after")]).toEqual([503, "1"])
    expect(other.json).toMatchObject({ statusCode: 503, error: "unavailable", message: "The server is starting" })
    expect(other.json).toMatchObject({ request_id: other.headers.get("x-request-id") })

    // Simulates a machine that hangs: it accepts connections and never answers.
    proxy.silence(true)
    await proxy.listen()
    await until("both to hang", () => proxy.size() >= 2 || undefined)
    expect((await client(url).call("GET", "/readyz")).status).toBe(503)

    proxy.resume()
    await ready(server, url)
    await workerReady(worker)
    await until("the worker to be healthy", async () => (await health()).status === 200 || undefined)
    expect((await client(url).call("GET", "/v1/me")).status).toBe(401)
    for (const one of [server, worker]) expect(await one.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    proxy.close()
  })

  it("ends at once where the database refuses: waiting would not help", async () => {
    const nowhere = new URL(database.url)
    nowhere.pathname = "/no_such_database"
    const server = processes.start("server", {
      DATABASE_URL: nowhere.href,
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      PORT: String(await freePort())
    })
    expect(await server.ended).toEqual({ code: 1, signal: null })
    expect(server.output()).toContain('database "no_such_database" does not exist')
  })
})
