import { AccessLogStore } from "@place-access/domain/access-log"
import type { App } from "@place-access/domain/apps"
import type { Purpose } from "@place-access/domain/purposes"
import { AccessLogEntryId, ConnectionId, Timestamp } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

interface Log {
  readonly entries: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly nextCursor: string | null
}

/** The description and the purpose's key have no word in common, so a test can see which of the two an answer shows. */
const TERMS: Purpose.PurposeTerms = {
  description: "Guides you to the next table.",
  scopes: ["location.latest.read"],
  expectedDailyVolume: 10
}

let world: World
let user: Person
const apps: Array<App.App> = []

beforeAll(async () => {
  world = await startWorld()
  user = await world.person()
  for (let index = 0; index < 2; index++) {
    const { app } = await world.app(user)
    const { accessToken } = await world.connect(user, app, { scopes: ["location.place.current"] })
    apps.push(app)
    for (let call = 0; call < 3; call++) {
      await world.call("/v1/me", bearer(accessToken))
      world.clock.advance(1_000)
    }
  }
})
afterAll(() => world.close())

const log = async (query: string): Promise<Log> => (await user.get(`/v1/user/access-log${query}`)).json as Log

describe("GET /v1/user/access-log", () => {
  it("what apps asked, newest first, in the user's words", async () => {
    const { entries, nextCursor } = await log("")
    expect([entries.length, nextCursor]).toEqual([6, null])
    expect(entries[0]).toEqual({
      at: "2026-03-01T12:00:05.000Z",
      app_id: apps[1]?.id,
      app_name: apps[1]?.name,
      endpoint: "GET /v1/me",
      endpoint_description: "Looked at what you allowed it",
      times: 1,
      purpose: null,
      purpose_description: null,
      outcome: "ok",
      outcome_description: "Answered",
      disclosed: "the terms of the connection"
    })
    const times = entries.map(({ at }) => String(at))
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? 1 : -1)))
  })

  it("pages: every entry once; a cursor is good for its own list only", async () => {
    const first = await log("?limit=4")
    const cursor = encodeURIComponent(first.nextCursor ?? "")
    const second = await log(`?limit=4&cursor=${cursor}`)
    expect([...first.entries, ...second.entries]).toEqual((await log("")).entries)
    expect(second.nextCursor).toBeNull()
    const stranger = await world.person()
    const answers = [
      await user.get(`/v1/user/access-log?app_id=${apps[0]?.id}&cursor=${cursor}`),
      await stranger.get(`/v1/user/access-log?cursor=${cursor}`),
      await user.get(`/v1/user/access-log?cursor=${cursor}x`)
    ]
    for (const answer of answers) {
      expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ error: "validation_failed" })])
    }
  })

  it("filters by app and by time, from inclusive to exclusive", async () => {
    const ofApp = await log(`?app_id=${apps[0]?.id}`)
    expect(ofApp.entries.map((entry) => entry["app_id"])).toEqual([apps[0]?.id, apps[0]?.id, apps[0]?.id])
    const between = await log("?from=2026-03-01T12:00:01Z&to=2026-03-01T12:00:03.000%2B00:00")
    expect(between.entries.map(({ at }) => at)).toEqual(["2026-03-01T12:00:02.000Z", "2026-03-01T12:00:01.000Z"])
    expect((await log("?purpose=find_coffee")).entries).toEqual([])
  })

  it('the page: an app or a purpose that it does not offer is a fault at its field, never "all" above an empty list', async () => {
    const stranger = await world.person()
    const { app } = await world.app(stranger)
    const page = (query: string) => user.get(`/portal/access-log?${query}`)
    for (const query of [`app=${app.id}`, "app=unknown", "purpose=prp_unknown"]) {
      const [field] = query.split("=")
      const { status, text } = await page(query)
      expect([query, status, text.includes("must be one of the list")]).toEqual([query, 400, true])
      expect(text).toMatch(new RegExp(`<select id="${field}"[^>]*aria-invalid="true"`))
    }
    const known = await page(`app=${apps[0]?.id}`)
    expect([known.status, known.text.includes("must be one of the list")]).toEqual([200, false])
  })

  it("the page: an app whose entries are shown can be chosen, also when no connection with it is left", async () => {
    const reader = await world.person()
    const { app } = await world.app(await world.person())
    await world.run(
      Effect.flatMap(AccessLogStore, (store) =>
        store.record({
          userId: reader.account.id,
          id: AccessLogEntryId.make("log_of_an_earlier_app"),
          at: Timestamp.make(world.clock.now()),
          appId: app.id,
          connectionId: ConnectionId.make("con_that_was_deleted"),
          endpoint: "GET /v1/me",
          purpose: null,
          status: 200,
          error: null,
          disclosed: null,
          times: 1
        })
      )
    )
    const { status, text } = await reader.get(`/portal/access-log?app=${app.id}`)
    expect(status).toBe(200)
    expect(text).toMatch(new RegExp(`<option value="${app.id}"\\s+selected`))
  })

  it("a purpose is named by its words and its id, which filters; its key is nowhere in what the user reads [M13]", async () => {
    const reader = await world.person()
    const { app } = await world.app(reader)
    const { id } = await world.run(Fixtures.purpose(app.id, "sell_cars", { terms: TERMS }))
    const { accessToken } = await world.connect(reader, app, { scopes: ["location.latest.read"] })
    await world.call("/v1/locations/latest?purpose=sell_cars", bearer(accessToken))
    await world.call("/v1/me", bearer(accessToken))
    const read = async (path: string) => (await reader.get(path)).text
    const all = await read("/v1/user/access-log")
    const entries = (JSON.parse(all) as Log).entries
    expect(entries.map((entry) => [entry["purpose"], entry["purpose_description"]])).toEqual(
      expect.arrayContaining([
        [id, TERMS.description],
        [null, null]
      ])
    )
    const filtered = JSON.parse(await read(`/v1/user/access-log?purpose=${id}`)) as Log
    expect(filtered.entries.map((entry) => entry["purpose"])).toEqual([id])
    const { connections } = JSON.parse(await read("/v1/user/connections")) as { connections: [{ id: string }] }
    const uses = await read(`/v1/user/connections/${connections[0].id}/uses`)
    expect(JSON.parse(uses)).toMatchObject({ by_purpose: [{ purpose: id, description: TERMS.description, count: 1 }] })
    const texts = [
      all,
      uses,
      await read("/portal/access-log"),
      await read(`/portal/access-log?purpose=${id}`),
      await read("/portal/access-log.csv"),
      await read(`/portal/connections/${connections[0].id}`)
    ]
    expect(texts.filter((text) => !text.includes(TERMS.description))).toEqual([])
    expect(texts.filter((text) => text.includes("sell_cars"))).toEqual([])
  })

  it("nobody else's, and nothing without a session", async () => {
    const stranger = await world.person()
    expect((await stranger.get("/v1/user/access-log")).json).toEqual({ entries: [], nextCursor: null })
    expect((await world.call("/v1/user/access-log")).status).toBe(401)
  })

  it("every fault of the query at once, each by its name", async () => {
    const answer = await user.get("/v1/user/access-log?limit=501&from=yesterday&purpose=Bad%20Key")
    expect(answer.status).toBe(400)
    const { message } = answer.json as { message: ReadonlyArray<string> }
    expect(message.map((one) => one.split(" ")[0]).sort()).toEqual(["from", "limit", "purpose"])
  })

  it("a span without an instant is refused [M11]", async () => {
    const { json, status } = await user.get("/v1/user/access-log?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z")
    expect([status, json]).toMatchObject([400, { error: "validation_failed", message: "to must be after from" }])
  })
})
