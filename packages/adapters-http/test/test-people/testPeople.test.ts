import { App, AppStore } from "@place-access/domain/apps"
import { removeDeleted } from "@place-access/domain/deletions"
import { everything } from "@place-access/domain/leases"
import {
  fanOutAll,
  deliverDue,
  MemoryDatabase,
  MemoryImportReader,
  MemoryWebhookSender
} from "@place-access/domain/testing"
import { Timestamp } from "@place-access/domain/shared"
import { makeTestPerson, removeStrayTestPeople, TestPerson, TestPersonStore } from "@place-access/domain/test-people"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { jsonBody } from "../support/wire.js"
import { bearer, startWorld, type World } from "../support/World.js"

const MINUTE = 60_000

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())
/** A day passes before each test, so that no limit still counts the calls of another test. */
beforeEach(() => world.clock.advance(24 * 60 * MINUTE))

const HOME = { label: "Home", kind: "home", lat: 52.37, lon: 4.89 }

/** An app in the sandbox, with a function that calls the service with the app's client secret. */
const sandboxApp = async () => {
  const developer = await world.person()
  const { app, clientSecret } = await world.app(developer)
  const authorization = `Basic ${Buffer.from(`${app.id}:${clientSecret}`).toString("base64")}`
  const ask = (method: string, path: string, body?: unknown) => {
    const json = body === undefined ? {} : jsonBody(body)
    return world.call(`/v1/test-people${path}`, { ...json, method, headers: { ...json.headers, authorization } })
  }
  const make = async (body: unknown = { places: [HOME] }) => {
    const answer = await ask("POST", "", body)
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
    return answer.json as Made
  }
  return { app, ask, clientSecret, developer, make }
}

interface Made {
  readonly id: string
  readonly grant_id: string
  readonly places: ReadonlyArray<{ readonly id: string }>
  readonly phone_token: string
  readonly tokens: { readonly access_token: string; readonly refresh_token: string; readonly scope: string }
}

describe("a test person [test-people-1, test-people-2]", () => {
  it("has places, a phone and a connection whose tokens work like those of a user", async () => {
    const { app, make } = await sandboxApp()
    const made = await make()
    const me = await world.call("/v1/me", bearer(made.tokens.access_token))
    expect(me.status).toBe(200)
    const places = await world.call("/v1/answers/places", bearer(made.tokens.access_token))
    expect((places.json as { places: unknown }).places).toEqual([
      { id: made.places[0]!.id, label: "Home", kind: "home" }
    ])
    // The app has no purpose. So the test person's token must not have the sensitive scope, just as the consent page
    // would not offer it.
    expect(made.tokens.scope.split(" ")).toEqual(App.scopes(app).filter((scope) => made.tokens.scope.includes(scope)))
    expect(made.tokens.scope).not.toContain("location.latest.read")
    const upload = { locations: [{ captured_at: new Date(world.clock.now()).toISOString(), lat: 52.37, lon: 4.89 }] }
    const sent = await world.call("/v1/phone/locations", {
      method: "POST",
      ...jsonBody(upload),
      headers: { "content-type": "application/json", authorization: `Bearer ${made.phone_token}` }
    })
    expect(sent.json).toEqual({ accepted: 1, duplicates: 0, quarantined: 0 })
  })

  it("is listed, found and removed by its own app only; its tokens then stop working", async () => {
    const { ask, make } = await sandboxApp()
    const other = await sandboxApp()
    const made = await make({ name: "Robin", places: [HOME], scopes: ["location.place.current"] })
    expect(made.tokens.scope).toBe("location.place.current")
    const listed = await ask("GET", "")
    expect(listed.json).toMatchObject({
      test_people: [{ id: made.id, name: "Robin", grant_id: made.grant_id, last_reading_at: null }],
      nextCursor: null
    })
    expect((await other.ask("GET", "")).json).toMatchObject({ test_people: [] })
    expect((await other.ask("GET", `/${made.id}`)).status).toBe(404)
    expect((await other.ask("DELETE", `/${made.id}`)).status).toBe(404)
    expect((await other.ask("POST", `/${made.id}/trips`, { trip: "arrive", place_id: "plc_1" })).status).toBe(404)
    expect((await ask("GET", `/${other.developer.account.id}`)).status).toBe(404)
    expect((await ask("DELETE", `/${made.id}`)).status).toBe(204)
    expect((await ask("DELETE", `/${made.id}`)).status).toBe(404)
    expect((await world.call("/v1/me", bearer(made.tokens.access_token))).status).toBe(401)
    world.clock.advance(25 * 60 * MINUTE)
    await world.run(removeDeleted(everything.people))
    const left = await world.run(
      Effect.map(MemoryDatabase, (tables) => [...tables.places.values()].filter(({ userId }) => userId === made.id))
    )
    expect(left).toEqual([])
  })

  it("cannot sign in, whatever the spelling of its address", async () => {
    const { make } = await sandboxApp()
    const { id } = await make()
    for (const email of [`Test-${id}@account.invalid`, `test-${id}@account.invalid`]) {
      const answer = await world.call("/v1/session", {
        method: "POST",
        ...jsonBody({ email, password: "" }),
        headers: { "content-type": "application/json", origin: world.url }
      })
      expect(answer.status).not.toBe(200)
    }
  })

  it("needs the app's secret: none, a wrong one, another app's and a session are 401", async () => {
    const { app, developer } = await sandboxApp()
    const other = await sandboxApp()
    const basic = (id: string, secret: string) => ({
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` }
    })
    const attempts = [
      await world.call("/v1/test-people"),
      await world.call("/v1/test-people", basic(app.id, "wrong")),
      await world.call("/v1/test-people", basic(app.id, other.clientSecret)),
      await world.call("/v1/test-people", { headers: { authorization: "Basic ???" } }),
      await developer.get("/v1/test-people")
    ]
    expect(attempts.map(({ json, status }) => [status, (json as { error: string }).error])).toEqual(
      attempts.map(() => [401, "invalid_client"])
    )
  })

  it("names every fault of a request, and never a value", async () => {
    const { ask } = await sandboxApp()
    const wrong = { places: [{ ...HOME, lat: 91, label: "" }], scopes: ["location.secret"] }
    const answer = await ask("POST", "", wrong)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain("places[0].lat")
    expect(answer.text).toContain("scopes")
    expect(answer.text).not.toContain("location.secret")
    const none = await ask("POST", "", { places: [HOME], scopes: ["location.latest.read"] })
    expect([none.status, none.text]).toEqual([400, expect.stringContaining("needs a purpose")])
  })

  it("is refused at the limit of ten [limits-9]", async () => {
    const { ask, make } = await sandboxApp()
    for (let one = 0; one < 10; one++) await make()
    const answer = await ask("POST", "", { places: [HOME] })
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining("10 test people")])
  })
})

describe("a trip [test-people-4]", () => {
  it("fires a rule, and the endpoint gets a webhook whose signature is right", async () => {
    const { app, ask, developer, make } = await sandboxApp()
    const url = `https://hooks.example.com/${app.id}`
    await world.run(
      Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.script(url, MemoryWebhookSender.answers(200)))
    )
    const added = await developer.send("POST", `/v1/developer/apps/${app.id}/webhooks`, { url, events: [] })
    const { secret } = added.json as { readonly secret: string }
    const made = await make()
    const rule = await world.call("/v1/rules/place", {
      method: "POST",
      ...jsonBody({ place_id: made.places[0]!.id, type: "enter" }),
      headers: { "content-type": "application/json", authorization: `Bearer ${made.tokens.access_token}` }
    })
    expect(rule.status).toBe(201)
    world.clock.advance(1_000)
    const trip = await ask("POST", `/${made.id}/trips`, { trip: "arrive", place_id: made.places[0]!.id })
    expect([trip.status, trip.json]).toEqual([
      200,
      expect.objectContaining({ readings: 2, accepted: 2, duplicates: 0, quarantined: 0 })
    ])
    await world.run(fanOutAll(100))
    await world.run(deliverDue({ limit: 100, perEndpoint: 100 }))
    const posts = await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.posts(url)))
    expect(posts.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      expect.objectContaining({ type: "place.enter", grant_id: made.grant_id, app_id: app.id })
    ])
    const t = Math.floor(world.clock.now() / 1_000)
    const signature = MemoryWebhookSender.sign(secret, `${t}.${posts[0]!.body}`)
    expect(new Map(posts[0]!.headers).get("X-Service-Signature")).toBe(`t=${t},v1=${signature}`)
    const now = await world.call("/v1/answers/current-place", bearer(made.tokens.access_token))
    expect(now.json).toMatchObject({ state: "at_place", place: { label: "Home" } })
  })

  it("of 30 minutes fires a dwell at once, and a second one is refused with the time that there is", async () => {
    const { ask, make } = await sandboxApp()
    const made = await make()
    const place_id = made.places[0]!.id
    await world.call("/v1/rules/place", {
      method: "POST",
      ...jsonBody({ place_id, type: "dwell", dwell_minutes: 30 }),
      headers: { "content-type": "application/json", authorization: `Bearer ${made.tokens.access_token}` }
    })
    const trip = await ask("POST", `/${made.id}/trips`, { trip: "stay", place_id, minutes: 30 })
    expect(trip.json).toMatchObject({ readings: 32, accepted: 32 })
    const fired = await world.run(
      Effect.map(MemoryDatabase, ({ events }) => [...events.values()].filter(({ userId }) => userId === made.id))
    )
    expect(fired.map(({ payload }) => payload.type)).toEqual(["place.dwell"])
    world.clock.advance(20 * MINUTE)
    const repeated = await ask("POST", `/${made.id}/trips`, { trip: "stay", place_id, minutes: 30 })
    expect([repeated.status, repeated.text]).toEqual([409, expect.stringContaining("at most 18 minutes")])
  })

  it("is a visit for the app, also when it began before the test person was made", async () => {
    const { ask, make } = await sandboxApp()
    const made = await make()
    const place_id = made.places[0]!.id
    await ask("POST", `/${made.id}/trips`, { trip: "stay", place_id, minutes: 30 })
    const { json } = await world.call("/v1/visits", bearer(made.tokens.access_token))
    const arrival = new Date(world.clock.now() - 30 * MINUTE).toISOString()
    expect(json).toMatchObject({ visits: [{ place: { id: place_id }, arrival }] })
  })

  it("can be a recorded log, which ends now", async () => {
    const { ask, make } = await sandboxApp()
    const made = await make()
    const at = (time: string) => ({ captured_at: time, lat: 52.37, lon: 4.89, accuracy_m: 12 })
    const locations = [at("2020-05-01T10:00:00Z"), at("2020-05-01T10:10:00Z")]
    const trip = await ask("POST", `/${made.id}/trips`, { trip: "log", locations })
    expect(trip.json).toMatchObject({ readings: 2, accepted: 2 })
    const person = await ask("GET", `/${made.id}`)
    expect((person.json as { last_reading_at: string }).last_reading_at).toBe(new Date(world.clock.now()).toISOString())
  })

  it.each(["locations", "file"] as const)(
    "a log in `%s` that would begin before the year 0 is refused before anything is stored",
    async (field) => {
      const { ask, make } = await sandboxApp()
      const made = await make()
      const at = (time: string) => ({ captured_at: time, lat: 52.37, lon: 4.89, accuracy_m: 12 })
      const [from, until] = ["0000-01-01T00:00:00Z", "2400-01-01T00:00:00Z"]
      const file = [from, until].map((time) => MemoryImportReader.line(Date.parse(time), 52.37, 4.89))
      const trip =
        field === "locations"
          ? { trip: "log", locations: [at(from), at(until)] }
          : { trip: "file", file: [MemoryImportReader.FIRST_LINE, ...file, ""].join("\n") }
      const { json, status } = await ask("POST", `/${made.id}/trips`, trip)
      expect([status, json]).toMatchObject([
        400,
        { error: "validation_failed", message: expect.stringMatching(`^${field} must span less time`) }
      ])
      expect((await ask("GET", `/${made.id}`)).json).toMatchObject({ last_reading_at: null })
    }
  )

  it("can be a file, which ends now too", async () => {
    const { ask, make } = await sandboxApp()
    const made = await make()
    const file = [MemoryImportReader.FIRST_LINE, MemoryImportReader.line(1_588_327_200_000, 52.37, 4.89), ""].join("\n")
    expect((await ask("POST", `/${made.id}/trips`, { trip: "file", file })).json).toMatchObject({ accepted: 1 })
    const wrong = await ask("POST", `/${made.id}/trips`, { trip: "file", file: "a song" })
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringContaining("file must be a complete file of recorded positions: GPX")
    ])
  })

  it("counts when its file is refused, on the page too [limits-9]", async () => {
    const { app, ask, developer, make } = await sandboxApp()
    const made = await make()
    const page = `/developer/apps/${app.id}/test-people`
    const token = /name="form_token" value="([^"]+)"/.exec((await developer.get(page)).text)?.[1] ?? ""
    const sendLog = (text: string) => {
      const body = new FormData()
      body.append("form_token", token)
      body.append("file", new Blob([text]), "log.txt")
      const init = { body, headers: { accept: "text/html" }, redirect: "manual" as const }
      return developer.send("POST", `${page}/${made.id}/logs`, undefined, init)
    }
    const long = `${MemoryImportReader.FIRST_LINE}\n${"x\n".repeat(10_001)}`
    const refused = await sendLog(long)
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringMatching(/File must have at most 10000 entries, with those that are no readings/)
    ])
    for (let one = 1; one < 299; one++) {
      expect((await ask("POST", `/${made.id}/trips`, { trip: "file", file: "a song" })).status).toBe(400)
    }
    expect((await sendLog("a song")).status).toBe(400)
    expect((await sendLog("a song")).status).toBe(429)
  })

  it("names what is wrong with it", async () => {
    const { ask, make } = await sandboxApp()
    const made = await make()
    const wrong = async (body: unknown) => {
      const { json, status } = await ask("POST", `/${made.id}/trips`, body)
      return [status, (json as { message: unknown }).message]
    }
    expect(await wrong({ trip: "stay", place_id: made.places[0]!.id, minutes: 4 })).toEqual([
      400,
      "minutes must be a whole number from 5 to 720"
    ])
    expect(await wrong({ trip: "log", locations: [] })).toEqual([400, "locations must have at least one reading"])
    expect(await wrong({ trip: "arrive" })).toEqual([400, "place_id is missing"])
    expect((await wrong({ trip: "fly" }))[0]).toBe(400)
    expect(await wrong({ trip: "arrive", place_id: "plc_unknown" })).toEqual([404, expect.stringContaining("place")])
  })
})

describe("an app that goes to production [test-people-3]", () => {
  it("has no test people any more: their tokens are paused at once, and a worker removes them", async () => {
    const { app, ask, make } = await sandboxApp()
    const made = await make()
    await world.run(
      Effect.flatMap(AppStore, (apps) =>
        apps.update(app.id, (before) => ({
          outcome: 0,
          after: { ...before, app: { ...before.app, status: "production" } }
        }))
      )
    )
    expect((await world.call("/v1/me", bearer(made.tokens.access_token))).status).toBe(503)
    const another = await ask("POST", "", { places: [HOME] })
    expect([another.status, another.text]).toEqual([409, expect.stringContaining("in production")])
    const trip = await ask("POST", `/${made.id}/trips`, { trip: "arrive", place_id: made.places[0]!.id })
    expect(trip.status).toBe(409)
    expect(await world.run(removeStrayTestPeople())).toBe(1)
    expect((await ask("GET", "")).json).toMatchObject({ test_people: [] })
    expect((await world.call("/v1/me", bearer(made.tokens.access_token))).status).toBe(401)
  })
})

describe("an app that changes while a test person is made [test-people-1]", () => {
  const NEW = { name: TestPerson.DEFAULT_NAME, places: TestPerson.homeAndWork(52.37, 4.89) }
  const change = (id: App.App["id"], fields: Partial<App.App>) =>
    Effect.flatMap(AppStore, (apps) =>
      apps.update(id, (before) => ({ outcome: 0, after: { ...before, app: { ...before.app, ...fields } } }))
    )
  const AT = Timestamp.make(0)

  it.each([
    ["was revoked", { revokedAt: AT }, "the app was revoked"],
    ["went to production", { status: "production" }, TestPerson.IN_PRODUCTION]
  ] as const)("gets the right reason when it %s, before the person is stored or after", async (_, fields, reason) => {
    const [early, late] = [(await sandboxApp()).app, (await sandboxApp()).app]
    await world.run(change(early.id, fields))
    const refused = await world.run(Effect.flip(makeTestPerson(early, NEW)))
    expect(refused).toMatchObject({ _tag: "Conflict", reason })

    const changing = Effect.gen(function* () {
      const store = yield* TestPersonStore
      const apps = yield* AppStore
      const create: typeof store.create = (account) =>
        Effect.zipLeft(store.create(account), Effect.provideService(change(late.id, fields), AppStore, apps))
      return yield* Effect.provideService(makeTestPerson(late, NEW), TestPersonStore, { ...store, create })
    })
    expect(await world.run(Effect.flip(changing))).toMatchObject({ _tag: "Conflict", reason })
  })

  it("is said to be gone when it is", async () => {
    const { app } = await sandboxApp()
    await world.run(Effect.map(MemoryDatabase, ({ apps }) => apps.delete(app.id)))
    expect(await world.run(Effect.flip(makeTestPerson(app, NEW)))).toMatchObject({
      _tag: "Conflict",
      reason: TestPerson.GONE
    })
  })
})
