import { createApp, App } from "@place-access/domain/apps"
import { disconnect } from "@place-access/domain/connection"
import { addDevice, Device } from "@place-access/domain/devices"
import { Rate, Subject, takeCall } from "@place-access/domain/limits"
import { createPlace, Place } from "@place-access/domain/places"
import { AccountLimits } from "@place-access/domain/quotas"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { acceptInvitation, inviteMember } from "@place-access/domain/teams"
import { Effect, Option } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { authorizePath, signedIn } from "../support/browsing.js"
import { connected, CURRENT } from "../support/connected.js"
import { type Answer, jsonBody } from "../support/wire.js"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

const HOUR = 3_600_000

let world: World
beforeAll(async () => {
  world = await startWorld({ rateLimitPerMinute: 600, trustProxy: true })
})
afterAll(() => world.close())
/** A day passes before each test, so that no limit still counts the calls of another test. */
beforeEach(() => world.clock.advance(24 * HOUR))

const times = <A, E, R>(count: number, one: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, () => one),
    { discard: true }
  )

const use = (subject: Subject.LimitSubject, rate: Rate.Rate, calls: number) =>
  world.run(times(calls, takeCall(subject, rate)))

const errorOf = ({ json, status }: Answer) => [status, (json as { readonly message?: unknown }).message]

/** A refusal as the API sends it: with a capital first letter. */
const sentence = (text: string | null) => `${text?.charAt(0).toUpperCase()}${text?.slice(1)}`

const PLACE = { label: "Home", kind: "home", lat: 52.37, lon: 4.89 } as const
const APP = { name: "Tea Finder", description: "Finds good tea.", scopes: [CURRENT] } as const

describe("what an account owns [limits-9]", () => {
  const fill = {
    places: (person: Person, most: number) =>
      world.run(
        times(
          most,
          createPlace(person.account.id, {
            label: Place.Label.make("Home"),
            kind: "home",
            circle: { lat: 1, lon: 2, radiusM: 150 }
          })
        )
      ),
    devices: (person: Person, most: number) =>
      world.run(times(most, addDevice(person.account.id, { name: Device.DeviceName.make("Pixel"), format: "json" }))),
    apps: (person: Person, most: number) =>
      world.run(
        times(
          most,
          createApp(person.account, {
            name: App.AppName.make(APP.name),
            description: App.AppDescription.make(APP.description),
            homepageUrl: null,
            scopes: APP.scopes
          })
        )
      )
  }

  it.each([
    ["places", AccountLimits.PLACES, "/v1/user/places", PLACE, "/portal/places"],
    ["devices", AccountLimits.DEVICES, "/v1/user/devices", { name: "Pixel", format: "json" }, "/portal/devices"],
    ["apps", AccountLimits.APPS, "/v1/developer/apps", APP, "/developer/apps"]
  ] as const)(
    "%s: the last one is made, one more is 409 with the reason, also by the page",
    async (what, limit, path, body, page) => {
      const person = await world.person()
      await fill[what](person, limit.most - 1)
      // The page of places has no form when the account has as many places as it can have. So the person opens the form
      // before the last place is made.
      const browser = await signedIn(world, person.account.email)
      const form = await browser.get({ places: page, devices: `${page}?phone=other`, apps: `${page}/new` }[what])
      expect((await person.send("POST", path, body)).status).toBe(201)
      const refused = await person.send("POST", path, body)
      expect(errorOf(refused)).toEqual([409, limit.refusal])
      expect(limit.refusal).toContain(String(limit.most))
      const shown = await browser.submit(form, page, {
        ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)])),
        radius_m: "150",
        // The form would not add a place that the person already has, so this place has a name of its own.
        label: "Elsewhere"
      })
      expect([shown.status, shown.text.includes(limit.refusal)]).toEqual([400, true])
      expect((await (await world.person()).send("POST", path, body)).status).toBe(201)
    }
  )
})

describe("what an account does [limits-9]", () => {
  it("makes 300 things in a day: what it removes meanwhile gives nothing back, and the next day begins anew", async () => {
    const person = await world.person()
    const made = await person.send("POST", "/v1/user/places", PLACE)
    await use(Subject.madeBy(person.account.id), Rate.CREATIONS, 298)
    const { id } = made.json as { readonly id: string }
    expect((await person.send("DELETE", `/v1/user/places/${id}`)).status).toBe(204)
    expect((await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })).status).toBe(201)
    const refused = await person.send("POST", "/v1/developer/apps", APP)
    expect(errorOf(refused)).toEqual([429, sentence(AccountLimits.CREATIONS.refusal)])
    expect(refused.headers.get("retry-after")).toBe("86400")
    // The limit refuses a request before its body is read, so an invalid body gets the same answer.
    expect((await person.send("POST", "/v1/user/places", {})).status).toBe(429)
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get("/portal/places")
    const shown = await browser.submit(page, "/portal/places", { ...PLACE, lat: "1", lon: "2", radius_m: "150" })
    expect([shown.status, shown.text.includes("300 places, devices, apps, purposes and test people in a day")]).toEqual(
      [429, true]
    )
    world.clock.advance(24 * HOUR)
    expect((await person.send("POST", "/v1/developer/apps", APP)).status).toBe(201)
  })

  it("a place moves 300 times in a day with the things made, by the API or the page; another name or kind moves none", async () => {
    const person = await world.person()
    const path = `/user/places/${((await person.send("POST", "/v1/user/places", PLACE)).json as { readonly id: string }).id}`
    await use(Subject.madeBy(person.account.id), Rate.CREATIONS, 298)
    expect((await person.send("PATCH", `/v1${path}`, { lat: 52.38 })).status).toBe(200)
    const refused = await person.send("PATCH", `/v1${path}`, { radius_m: 200 })
    expect(errorOf(refused)).toEqual([429, sentence(AccountLimits.CREATIONS.refusal)])
    expect((await person.send("PATCH", `/v1${path}`, { label: "Flat" })).status).toBe(200)
    const browser = await signedIn(world, person.account.email)
    const page = path.replace("/user", "/portal")
    const circle = { ...PLACE, lat: "52.38", lon: String(PLACE.lon), radius_m: "150" }
    const shown = await browser.submit(await browser.get(page), page, { ...circle, lat: "1" })
    expect([shown.status, shown.text.includes("300 places")]).toEqual([429, true])
    expect((await browser.submit(await browser.get(page), page, { ...circle, label: "House" })).status).toBe(303)
    world.clock.advance(24 * HOUR)
    expect((await person.send("PATCH", `/v1${path}`, { radius_m: 200 })).status).toBe(200)
  })

  it("a repeated Idempotency-Key works at the limit of one, and the count is kept", async () => {
    const person = await world.person()
    const once = { headers: { "idempotency-key": "k-1" } }
    const [first, repeated] = [
      await person.send("POST", "/v1/user/places", PLACE, once),
      await person.send("POST", "/v1/user/places", PLACE, once)
    ]
    expect([first.status, repeated.status, repeated.headers.get("idempotent-replayed")]).toEqual([201, 201, "true"])
    expect(repeated.headers.get("ratelimit-remaining")).toBe("298")
  })

  it("sends 30 test webhooks in an hour over all apps: the 31st is not sent, by the API or the page", async () => {
    const person = await world.person()
    const hook = "https://hooks.example.com/tests"
    const endpointOf = async () => {
      const { app } = await world.app(person)
      const made = await person.send("POST", `/v1/developer/apps/${app.id}/webhooks`, { url: hook })
      return `/developer/apps/${app.id}/webhooks/${(made.json as { readonly id: string }).id}`
    }
    const [one, other] = [await endpointOf(), await endpointOf()]
    await use(Subject.testsOf(person.account.id), Rate.TESTS, 28)
    await world.run(
      Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.script(hook, MemoryWebhookSender.answers(200)))
    )
    expect((await person.send("POST", `/v1${one}/test`)).status).toBe(200)
    // The count of tests belongs to the account, so the removal of an endpoint must not reset it.
    expect((await person.send("DELETE", `/v1${one}`)).status).toBe(204)
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get(other.replace(/\/[^/]*$/, ""))
    expect((await browser.submit(page, `${other}/test`)).status).toBe(200)
    const refused = await person.send("POST", `/v1${other}/test`)
    expect(errorOf(refused)).toEqual([429, sentence(AccountLimits.TEST_WEBHOOKS.refusal)])
    const shown = await browser.submit(page, `${other}/test`)
    expect([shown.status, shown.text.includes("30 test webhooks in an hour")]).toEqual([429, true])
    const posts = await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.posts(hook)))
    expect(posts.length).toBe(2)
    world.clock.advance(HOUR)
    expect((await person.send("POST", `/v1${other}/test`)).status).toBe(200)
  })

  it("sets 300 webhook addresses in an hour over all apps, with new endpoints and changes, by the API or the page; refused ones count", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const path = `/developer/apps/${app.id}/webhooks`
    const url = "https://hooks.example.com/addresses"
    const made = await person.send("POST", `/v1${path}`, { url })
    const one = `${path}/${(made.json as { readonly id: string }).id}`
    await use(Subject.webhooksOf(person.account.id), Rate.WEBHOOK_ADDRESSES, 297)
    expect((await person.send("PATCH", `/v1${one}`, { url: `${url}/2` })).status).toBe(200)
    expect((await person.send("POST", `/v1${path}`, { url: "https://private.example.com/" })).status).toBe(400)
    const refusal = [429, sentence(AccountLimits.WEBHOOK_ADDRESSES.refusal)]
    expect(errorOf(await person.send("POST", `/v1${path}`, { url }))).toEqual(refusal)
    expect(errorOf(await person.send("PATCH", `/v1${one}`, { url }))).toEqual(refusal)
    const browser = await signedIn(world, person.account.email)
    for (const page of [path, one]) {
      const shown = await browser.submit(await browser.get(page), page, { url })
      expect([shown.status, shown.text.includes("300 webhook addresses in an hour")]).toEqual([429, true])
    }
    expect((await person.send("PATCH", `/v1${one}`, { description: "Orders" })).status).toBe(200)
    world.clock.advance(HOUR)
    expect((await person.send("POST", `/v1${path}`, { url })).status).toBe(201)
  })

  it("changes its name 30 times in a day, by the API or the page", async () => {
    const person = await world.person()
    await use(Subject.namedBy(person.account.id), Rate.NAME_CHANGES, 29)
    const put = (display_name: string) => person.send("PUT", "/v1/user/name", { display_name })
    expect((await put("Ann")).status).toBe(200)
    expect(errorOf(await put("Anna"))).toEqual([429, sentence(AccountLimits.NAME_CHANGES.refusal)])
    const browser = await signedIn(world, person.account.email)
    const page = "/portal/settings/name"
    const shown = await browser.submit(await browser.get(page), page, { display_name: "Anna" })
    expect([shown.status, shown.text.includes("change its name 30 times in a day")]).toEqual([429, true])
    world.clock.advance(24 * HOUR)
    expect((await put("Anna")).status).toBe(200)
  })

  it("opens 120 consent pages in an hour, from whatever addresses; another account at the address goes on", async () => {
    const person = await world.person()
    const { app } = await world.app(person, { status: "production" })
    await use(Subject.consentsOf(person.account.id), Rate.CONSENTS_OF_ACCOUNT, 119)
    const open = (who: Person, address: string) =>
      who.get(authorizePath(app), { headers: { "x-forwarded-for": address, accept: "text/html" } })
    expect((await open(person, "192.0.2.10")).status).toBe(200)
    const refused = await open(person, "192.0.2.11")
    expect([refused.status, refused.text.includes("120 consent pages in an hour")]).toEqual([429, true])
    expect((await open(await world.person(), "192.0.2.11")).status).toBe(200)
    world.clock.advance(HOUR)
    expect((await open(person, "192.0.2.10")).status).toBe(200)
  })
})

describe("what is done with an app's test people counts for the app's holder [limits-9]", () => {
  it("by another member's page and by the API together; the member's own count does not matter", async () => {
    const [holder, member] = [await world.person(), await world.person()]
    const { app, clientSecret } = await world.app(holder)
    const invited = { email: member.account.email, role: "developer" } as const
    const { id } = await world.run(inviteMember(holder.account, app.id, invited))
    await world.run(acceptInvitation(member.account, "confirmed", { appId: app.id, id }))
    await use(Subject.madeBy(member.account.id), Rate.CREATIONS, 300)
    await use(Subject.tripsOf(member.account.id), Rate.TRIPS, 300)
    await use(Subject.madeBy(holder.account.id), Rate.CREATIONS, 298)
    await use(Subject.tripsOf(holder.account.id), Rate.TRIPS, 298)
    const api = (path: string, body: unknown) => {
      const json = jsonBody(body)
      const authorization = `Basic ${Buffer.from(`${app.id}:${clientSecret}`).toString("base64")}`
      return world.call(`/v1/test-people${path}`, {
        ...json,
        method: "POST",
        headers: { ...json.headers, authorization }
      })
    }
    const browser = await signedIn(world, member.account.email)
    const path = `/developer/apps/${app.id}/test-people`
    const draft = { name: "Alex", lat: "52.5", lon: "13.4", scopes: CURRENT }
    const make = async () => browser.submit(await browser.get(path), path, draft)
    const made = await api("", { places: [PLACE], scopes: [CURRENT] })
    expect([made.status, (await make()).status, (await make()).status]).toEqual([201, 200, 429])
    expect(errorOf(await api("", { places: [PLACE] }))).toEqual([429, sentence(AccountLimits.CREATIONS.refusal)])
    const person = made.json as { readonly id: string; readonly places: ReadonlyArray<{ readonly id: string }> }
    const place = person.places[0]?.id ?? ""
    const trip = { trip: "arrive", place, minutes: "30", late_minutes: "0", accuracy_m: "10" }
    const travel = async () => browser.submit(await browser.get(path), `${path}/${person.id}/trips`, trip)
    world.clock.advance(60_000)
    const sent = await api(`/${person.id}/trips`, { trip: "arrive", place_id: place })
    world.clock.advance(60_000)
    expect([sent.status, (await travel()).status, (await travel()).status]).toEqual([200, 303, 429])
  })
})

describe("made-up client ids count as one, for the network that they come from [limits-3]", () => {
  it("at the consent page and at the token route together; ids that exist go on", async () => {
    const person = await world.person()
    const { app, clientSecret } = await world.app(person, { status: "production" })
    const from = { "x-forwarded-for": "198.51.100.7" }
    await use(Subject.client(Option.none(), "198.51.100.7"), Rate.OAUTH, 1_198)
    const authorize = (client_id: string, headers: Readonly<Record<string, string>> = from) =>
      world.call(authorizePath(app, { client_id }), { headers, redirect: "manual" })
    const token = (clientId: string, secret: string) => {
      const body = jsonBody({ grantType: "refresh_token", clientId, clientSecret: secret, refreshToken: "x" })
      return world.call("/v1/oauth/token", { method: "POST", ...body, headers: { ...body.headers, ...from } })
    }
    expect((await authorize("app_madeup1")).status).toBe(400)
    expect((await token("app_madeup2", "x")).status).toBe(401)
    expect([(await authorize("app_madeup3")).status, (await token("not an id", "x")).status]).toEqual([429, 429])
    expect((await authorize("app_madeup3", { "x-forwarded-for": "198.51.100.8" })).status).toBe(400)
    expect([(await authorize(app.id)).status, (await token(app.id, clientSecret)).status]).toEqual([303, 400])
  })
})

describe("calls with a token that no longer works [limits-10]", () => {
  interface Entry {
    readonly at: string
    readonly endpoint: string
    readonly outcome: string
    readonly times: number
  }

  const stageOf = async () => {
    const stage = await connected(world)
    const { access_token: token } = await stage.connect([CURRENT])
    const { id } = await stage.connection()
    return {
      ...stage,
      id,
      token,
      call: (path = "/v1/me", dead = token) => world.call(path, bearer(dead)),
      log: async () => {
        const { json } = await stage.person.get("/v1/user/access-log")
        const { entries } = json as { readonly entries: ReadonlyArray<Entry> }
        return entries.filter(({ outcome }) => outcome === "invalid_token")
      }
    }
  }
  const LIMITS = ["ratelimit-limit", "ratelimit-remaining", "retry-after"]

  it("an hour of them is one entry for each route, with the first time and the count; the answer says nothing of it", async () => {
    const { call, id, log, person } = await stageOf()
    await world.run(disconnect(person.account.id, id))
    const begin = new Date(world.clock.now()).toISOString()
    for (let made = 0; made < 4; made++) {
      const answer = await call()
      expect([answer.status, LIMITS.map((name) => answer.headers.get(name))]).toEqual([401, [null, null, null]])
      world.clock.advance(60_000)
    }
    await call("/v1/answers/places")
    world.clock.advance(56 * 60_000 - 1)
    await call()
    const [places, me] = [...(await log())].sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1))
    expect(me).toMatchObject({ at: begin, endpoint: "GET /v1/me", times: 5 })
    expect(places).toMatchObject({ endpoint: "GET /v1/answers/places", times: 1 })
    world.clock.advance(1)
    await call()
    expect((await log()).map(({ times }) => times)).toEqual([1, 1, 5])
    const browser = await signedIn(world, person.account.email)
    // The entry with five calls and the newest entry are of one route, so the page shows the two entries as one line.
    expect((await browser.get("/portal/access-log")).text).toContain(
      "<strong>6 ×</strong> Looked at what you allowed it"
    )
  })

  it("many at once are one entry with their count", async () => {
    const { call, id, log, person } = await stageOf()
    await world.run(disconnect(person.account.id, id))
    const answers = await Promise.all(Array.from({ length: 20 }, () => call()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    expect((await log()).map(({ times }) => times)).toEqual([20])
  })

  it("they count for the connection; beyond its rate nothing is written and the answer is the same, and the next entry has the count of all", async () => {
    const { call, connect, id, log, token } = await stageOf()
    world.clock.advance(HOUR + 1)
    const { access_token: live } = await connect([CURRENT])
    await use(Subject.connection(id), Rate.perMinute(600), 598)
    const unknown = await call("/v1/me", "nonsense")
    const dead = [await call(), await call(), await call()]
    expect(dead.map(({ json, status }) => [status, json])).toEqual(dead.map(() => [401, unknown.json]))
    expect((await log()).map(({ times }) => times)).toEqual([2])
    expect((await call("/v1/me", live)).status).toBe(429)
    world.clock.advance(60_000)
    expect((await call("/v1/me", live)).status).toBe(200)
    expect((await call("/v1/me", token)).status).toBe(401)
    expect((await log()).map(({ times }) => times)).toEqual([4])
  })
})

describe("calls while the user's account is suspended", () => {
  it("they count for the connection like every other call; beyond its rate they are 429 [limits-3, limits-4, staff-1]", async () => {
    world.clock.advance(HOUR)
    const stage = await connected(world)
    const { access_token: token } = await stage.connect([CURRENT])
    await use(Subject.connection((await stage.connection()).id), Rate.perMinute(600), 598)
    const admin = await world.person({ roles: ["admin"] })
    await admin.send("POST", `/v1/admin/accounts/${stage.person.account.id}/suspend`)
    const answers = []
    for (let call = 0; call < 3; call++) answers.push(await world.call("/v1/me", bearer(token)))
    const headers = ["ratelimit-remaining", "retry-after"]
    expect(answers.map((answer) => [answer.status, ...headers.map((name) => answer.headers.get(name))])).toEqual([
      [503, "1", "3600"],
      [503, "0", "3600"],
      [429, "0", "60"]
    ])
    await admin.send("POST", `/v1/admin/accounts/${stage.person.account.id}/resume`)
    expect((await world.call("/v1/me", bearer(token))).status).toBe(429)
    const { json } = await stage.person.get("/v1/user/access-log")
    const { entries } = json as { readonly entries: ReadonlyArray<{ readonly outcome: string }> }
    expect(entries.map(({ outcome }) => outcome).sort()).toEqual([
      "connection_on_hold",
      "connection_on_hold",
      "rate_limited",
      "rate_limited"
    ])
  })
})
