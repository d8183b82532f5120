import { randomBytes } from "node:crypto"
import { Schema } from "effect"
import { join } from "node:path"
import pg from "pg"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "./support/client.js"
import { connect } from "./support/consent.js"
import { freePort } from "./support/freePort.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { reading, ridePast, upload } from "./support/phone.js"
import { useProcesses, workerReady } from "./support/processes.js"
import { type Received, type Receiver, startReceiver } from "./support/receiver.js"
import { type Service, startService } from "./support/service.js"
import { until } from "./support/until.js"

const HOUR = 3_600_000
const KEYS = `test:${randomBytes(32).toString("base64")}`

/** Settings for a process whose clock is `millis` ahead of the machine's clock. */
const ahead = (millis: number) => ({
  NODE_OPTIONS: `--import=${join(import.meta.dirname, "support/shiftClock.mjs")}`,
  CLOCK_SHIFT_MS: String(millis)
})

const eventOf = ({ body }: Received): string =>
  Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ event_id: Schema.String })))(body.toString("utf8")).event_id

describeServers("processes whose clocks differ", ({ kind }) => {
  const processes = useProcesses()
  let service: Service
  let receiver: Receiver
  beforeAll(async () => {
    ;[service, receiver] = await Promise.all([
      startService(processes, { database: kind, workers: 0, environment: { SECRET_KEYS: KEYS } }),
      startReceiver()
    ])
  })
  afterEach(() => Promise.all(service.workers().map((worker) => worker.stop("SIGKILL"))))
  afterAll(async () => {
    await receiver?.close()
    await service?.close()
  })

  /** Makes a person whose rides past a place fire two webhooks each. */
  const rider = async (name: string) => {
    const person = await signUp(service.url, name)
    const app = await createApp(person, "http://127.0.0.1:9/callback")
    await createEndpoint(person, app, receiver.url)
    const place = await createPlace(person, { label: "Home", lat: 52.37, lon: 4.9, radiusM: 150 })
    const { access_token } = await connect(person, app, [RULES_SCOPE], { places: [place.id] })
    for (const type of ["enter", "exit"] as const) await createRule(person.as, access_token, place, type)
    const token = await addDevice(person)
    return { token, ride: () => upload(client(service.url), token, ridePast(place)) }
  }

  const query = async (text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
    const database = new pg.Client({ connectionString: service.databaseUrl ?? "" })
    await database.connect()
    try {
      return (await database.query<Record<string, unknown>>(text)).rows
    } finally {
      await database.end()
    }
  }

  it("a worker an hour ahead claims nothing and says why; beside a right one nothing is sent twice [deliveries-6]", async () => {
    const { ride } = await rider("hour")
    const before = receiver.received.length
    const wrong = service.startWorker(ahead(HOUR))
    await until("the worker to say that its clock is wrong", () =>
      wrong.output().includes("until the clock is right, a worker does no work") ? true : undefined
    )
    expect(wrong.output()).toContain("3600.0 s ahead of the database's")
    await ride()
    await workerReady(service.startWorker())
    const all = await receiver.until("both events", (received) => received.length >= before + 2)
    const events = all.slice(before).map(eventOf)
    expect(new Set(events).size).toBe(events.length)
    // This worker waits for a right clock and has claimed nothing. So this worker has no leases, and when the test
    // kills it, no other worker has to wait until a lease ends.
    await wrong.stop("SIGKILL")
    expect(wrong.output()).not.toContain("the worker is ready")
    // A worker posts a delivery first and stores its result afterwards, so the rows may change a moment after the
    // receiver has the posts.
    await until("all to be written down", async () => {
      const rows = await query("SELECT 1 FROM deliveries WHERE state <> 'trying'")
      return rows.length >= events.length ? true : undefined
    })
    expect(await query("SELECT attempt, state FROM deliveries")).toEqual(
      events.map(() => ({ attempt: 1, state: "delivered" }))
    )
  })

  it("a worker a few seconds ahead takes leases of 30 s by the database's clock [deliveries-6]", async () => {
    const { ride } = await rider("seconds")
    const worker = service.startWorker(ahead(8_000))
    await workerReady(worker)
    expect(worker.output()).toMatch(/8\.\d s ahead of the database's; this process corrects its times by as much/)
    let answer: (status: number) => void = () => undefined
    const held = new Promise<number>((resolve) => (answer = resolve))
    receiver.answer(() => held)
    await ride()
    const leases = await until("leases", async () => {
      const rows = await query(
        `SELECT extract(epoch FROM leased_until - clock_timestamp())::float8 AS seconds
         FROM deliveries WHERE leased_until IS NOT NULL AND state = 'trying'`
      )
      return rows.length > 0 ? rows : undefined
    })
    for (const { seconds } of leases) expect(seconds).toBeLessThanOrEqual(30.3)
    answer(204)
  })

  it("a server an hour behind is not ready and answers uploads with 503; readings are not put aside [fixes-4]", async () => {
    const { token } = await rider("behind")
    const port = await freePort()
    const url = `http://localhost:${port}`
    processes.start("server", {
      DATABASE_URL: service.databaseUrl ?? "",
      SECRET_KEYS: KEYS,
      PORT: String(port),
      ...ahead(-HOUR)
    })
    const away = await until("the server to be up", async () => {
      const answer = await client(url).call("GET", "/readyz")
      return answer.text.includes("clock") ? answer : undefined
    })
    expect(away.status).toBe(503)
    expect(away.json).toMatchObject({
      message: "The server's clock differs from the database's by more than 10 s"
    })
    const locations = [reading(Date.now(), { lat: 52.37, lon: 4.9 })]
    const refused = await client(url).call("POST", "/v1/phone/locations", { token, json: { locations } })
    expect([refused.status, refused.headers.has("retry-after")]).toEqual([503, true])
    expect(await query("SELECT 1 FROM quarantined_fixes")).toEqual([])
    // A server with a right clock accepts the upload.
    expect(await upload(client(service.url), token, locations)).toMatchObject({ accepted: 1, quarantined: 0 })
  })
})
