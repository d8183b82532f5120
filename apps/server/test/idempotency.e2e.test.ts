import { Schema } from "effect"
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startLossyProxy, type LossyProxy } from "../../../packages/adapters-pg/test/support/lossyProxy.js"
import { describeServers, type TestDatabase } from "../../../packages/adapters-pg/test/support/postgres.js"
import { createApp, type Person, signUp } from "./support/people.js"
import { useProcesses } from "./support/processes.js"
import { type Service, startService } from "./support/service.js"

const HOME = { label: "Home", kind: "home", lat: 52.37, lon: 4.89 }
const Places = Schema.Struct({ places: Schema.Array(Schema.Unknown) })
const Webhooks = Schema.Struct({ webhooks: Schema.Array(Schema.Unknown) })

const placesOf = async ({ as }: Person) => (await as.expect("GET", "/v1/user/places", { as: Places })).places.length

const makePlace = ({ as }: Person, key: string) =>
  as.call("POST", "/v1/user/places", { json: HOME, headers: { "idempotency-key": key } })

describeServers("a database loses the answer to a commit", ({ kind, migratedDatabase }) => {
  const processes = useProcesses()
  let database: TestDatabase
  let proxy: LossyProxy
  let service: Service

  beforeAll(async () => {
    database = await migratedDatabase()
    proxy = await startLossyProxy(database.url)
    service = await startService(processes, { database: kind, databaseUrl: proxy.url, workers: 0 })
  })
  afterAll(async () => {
    await service.close()
    proxy.close()
    await database.drop()
  })

  it("the app gets 503 and retries with its key: it gets what the first call made, which exists once [idempotency-4]", async () => {
    const person = await signUp(service.url, "rider")
    const key = randomUUID()
    proxy.loseNextCommit()
    const first = await makePlace(person, key)
    expect([first.status, proxy.lost()]).toEqual([503, 1])
    const second = await makePlace(person, key)
    expect([second.status, second.headers.get("idempotent-replayed")]).toEqual([201, "true"])
    expect(await placesOf(person)).toBe(1)
    // Repeats the failure without an idempotency key: the second request makes a second place.
    proxy.loseNextCommit()
    const request = { json: { ...HOME, label: "Work" } }
    expect((await person.as.call("POST", "/v1/user/places", request)).status).toBe(503)
    expect((await person.as.call("POST", "/v1/user/places", request)).status).toBe(201)
    expect(await placesOf(person)).toBe(3)
  })
})

describe("on the embedded database", () => {
  const processes = useProcesses()
  let service: Service
  beforeAll(async () => {
    service = await startService(processes, { database: "embedded" })
  })
  afterAll(() => service.close())

  it("many requests at once with one key make one place, and one webhook with one secret", async () => {
    const person = await signUp(service.url, "rider")
    const key = randomUUID()
    const all = await Promise.all(Array.from({ length: 10 }, () => makePlace(person, key)))
    expect(new Set(all.map(({ text }) => text)).size).toBe(1)
    expect(await placesOf(person)).toBe(1)

    const app = await createApp(person, "http://localhost:9/callback")
    const path = `/v1/developer/apps/${app.id}/webhooks`
    const request = { json: { url: "http://localhost:9/in" }, headers: { "idempotency-key": randomUUID() } }
    const made = await Promise.all(Array.from({ length: 10 }, () => person.as.call("POST", path, request)))
    expect(new Set(made.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(made[0]?.text).toContain("whsec_")
    expect((await person.as.expect("GET", path, { as: Webhooks })).webhooks.length).toBe(1)
  })
})
