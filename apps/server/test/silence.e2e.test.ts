import { Schema } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServers, type TestDatabase } from "../../../packages/adapters-pg/test/support/postgres.js"
import { client } from "./support/client.js"
import { connect } from "./support/consent.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { reading, ridePast, tryUpload } from "./support/phone.js"
import { useProcesses } from "./support/processes.js"
import { type Received, type Receiver, startReceiver } from "./support/receiver.js"
import { type Service, startService } from "./support/service.js"
import { type TcpProxy, tcpProxy } from "./support/tcpProxy.js"
import { until } from "./support/until.js"

/**
 * The time after which the test fails. A program recovers after at most 10 s of silence and stops within 20 s; on a
 * busy machine both may take longer, but not this long.
 */
const TOO_LONG_MS = 40_000

const HOME = { lat: 52.37, lon: 4.9 }

const eventOf = ({ body }: Received): string =>
  Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ event_id: Schema.String })))(body.toString("utf8")).event_id

describeServers("a database that stands still", ({ kind, migratedDatabase }) => {
  const processes = useProcesses()
  let database: TestDatabase
  let proxy: TcpProxy
  let service: Service
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
    database = await migratedDatabase()
    proxy = await tcpProxy(database.url)
    await proxy.listen()
    service = await startService(processes, { database: kind, databaseUrl: proxy.url })
  })
  afterAll(async () => {
    await receiver?.close()
    proxy?.close()
    await service?.close()
    await database?.drop()
  })

  it("and connections that a firewall has forgotten are replaced: uploads are answered and webhooks sent again", async () => {
    const person = await signUp(service.url, "silent")
    const app = await createApp(person, "http://127.0.0.1:9/callback")
    await createEndpoint(person, app, receiver.url)
    const place = await createPlace(person, { label: "Home", ...HOME, radiusM: 150 })
    const { access_token } = await connect(person, app, [RULES_SCOPE], { places: [place.id] })
    for (const type of ["enter", "exit"] as const) await createRule(person.as, access_token, place, type)
    const token = await addDevice(person)

    proxy.silence()
    // Sends several requests at the same time, so that every connection in the pool has a statement in flight.
    const others = Array.from({ length: 6 }, () =>
      client(service.url)
        .call("GET", "/v1/me", { token: access_token })
        .then(({ status }) => status)
    )
    const ride = ridePast(place)
    expect(
      await until("an upload to be answered", () => tryUpload(client(service.url), token, ride), TOO_LONG_MS)
    ).toMatchObject({ quarantined: 0 })
    await receiver.until("both events", (all) => new Set(all.map(eventOf)).size === 2, TOO_LONG_MS)
    // The server must have answered each request in `others` with 200, or refused the request with 503.
    for (const status of await Promise.all(others)) expect([200, 503]).toContain(status)
    expect(
      await until("the server to be ready", async () => (await fetch(`${service.url}/readyz`)).ok || undefined)
    ).toBe(true)
  })

  it("does not keep a server or a worker from stopping", async () => {
    const token = await addDevice(await signUp(service.url, "still"))
    proxy.silence(true)
    const upload = client(service.url)
      .call("POST", "/v1/phone/locations", { token, json: { locations: [reading(Date.now(), HOME)] } })
      .then(({ status }) => status)
      .catch(() => "no answer")
    const all = [service.server(), ...service.workers()]
    const ended = Promise.all(all.map((one) => one.stop("SIGTERM")))
    const gone = ended.then(() => "both are gone")
    expect(await Promise.race([gone, pause(TOO_LONG_MS, "still there", { ref: false })])).toBe("both are gone")
    for (const { signal } of await ended) expect(signal).toBeNull()
    // The silent database did not store the upload, so the server must not acknowledge it.
    expect(await upload).not.toBe(200)
  })
})
