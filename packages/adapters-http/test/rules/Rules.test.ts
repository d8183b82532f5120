import * as ErrorCatalogue from "@place-access/adapters-http/openapi/ErrorCatalogue"
import { App } from "@place-access/domain/apps"
import { EndpointStore, EndpointUrl } from "@place-access/domain/endpoints"
import { AccessLogStore } from "@place-access/domain/access-log"
import { ConnectionStore, disconnect, sharePlaces } from "@place-access/domain/connection"
import { AccountLimits } from "@place-access/domain/quotas"
import { EndpointId, PlaceId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

const HOOK = "https://hooks.example.com/in"

let world: World
let person: Person
let app: Awaited<ReturnType<World["app"]>>["app"]
let placeId: string
let token: string

beforeAll(async () => {
  world = await startWorld()
})
beforeEach(async () => {
  person = await world.person()
  app = (await world.app(person)).app
  placeId = await addPlace("Home")
  token = (await world.connect(person, app, { scopes: ["location.rules.place"], places: [placeId] })).accessToken
})
afterAll(() => world.close())

const addPlace = async (label: string): Promise<string> => {
  const { json } = await person.send("POST", "/v1/user/places", { label, kind: "other", lat: 52.37, lon: 4.89 })
  return (json as { id: string }).id
}

const asApp = (method: string, path: string, body?: unknown) => {
  const json = body === undefined ? {} : jsonBody(body)
  return world.call(path, { ...json, method, headers: { ...json.headers, ...bearer(token).headers } })
}
const create = (body: object = {}) => asApp("POST", "/v1/rules/place", { type: "enter", place_id: placeId, ...body })
const createdId = async (body: object = {}): Promise<string> => ((await create(body)).json as { id: string }).id
const list = async () => ((await asApp("GET", "/v1/rules/place")).json as { rules: ReadonlyArray<object> }).rules
const connectionId = () =>
  world.run(
    Effect.map(
      Effect.flatMap(ConnectionStore, (store) => store.listOfUser(person.account.id)),
      ([first]) => first!.connection.id
    )
  )
const now = () => new Date(world.clock.now()).toISOString()
const later = (millis: number) => new Date(world.clock.now() + millis).toISOString()

const registerEndpoint = () =>
  world.run(
    Effect.flatMap(EndpointStore, (store) =>
      store.create({
        appId: app.id,
        id: EndpointId.make(`ep_${app.id.slice(4)}`),
        url: EndpointUrl.EndpointUrl.make(HOOK),
        events: [],
        description: null,
        disabledAt: null,
        epoch: 0,
        strikes: 0,
        headers: [],
        secrets: [],
        createdAt: app.createdAt
      })
    )
  )

describe("POST /v1/rules/place [§4.6]", () => {
  it("answers 201 with the rule object of Spec §2.6 [§2.6, §4.6-create-place]", async () => {
    const answer = await create()
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^rul_/),
      type: "enter",
      target: { place_id: placeId, label: "Home" },
      dwell_minutes: null,
      settle_s: null,
      silence_s: null,
      webhook_url: null,
      active_from: null,
      active_until: null,
      max_event_age_s: null,
      state: "active",
      disabled_at: null,
      created_at: now()
    })
  })

  it("takes everything optional, and a registered address", async () => {
    await registerEndpoint()
    const wishes = {
      type: "dwell",
      dwell_minutes: 720,
      settle_s: null,
      silence_s: null,
      webhook_url: HOOK,
      active_from: later(1),
      active_until: later(2),
      max_event_age_s: 3_600
    }
    const answer = await create(wishes)
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject(wishes)
    expect(await list()).toEqual([answer.json])
  })

  it("dwell_minutes of an enter or exit rule is ignored and answered null [§4.6-dwell]", async () => {
    for (const type of ["enter", "exit"]) {
      const answer = await create({ type, dwell_minutes: 30 })
      expect(answer.status).toBe(201)
      expect(answer.json).toMatchObject({ type, dwell_minutes: null })
    }
  })

  it("400 names every problem at once, wrong types and wrong values alike, and repeats no value [§4.6-create-place, rules-1]", async () => {
    const answer = await create({
      type: "canary",
      place_id: 5,
      dwell_minutes: "canary",
      webhook_url: ["canary"],
      active_from: "canary",
      active_until: later(-1),
      max_event_age_s: 29
    })
    expect(answer.status).toBe(400)
    const { error, message } = answer.json as { error: string; message: ReadonlyArray<string> }
    expect(error).toBe("validation_failed")
    expect(message.map((text) => text.split(" ")[0]).sort()).toEqual([
      "active_from",
      "active_until",
      "dwell_minutes",
      "max_event_age_s",
      "place_id",
      "type",
      "webhook_url"
    ])
    expect(answer.text).not.toContain("canary")
  })

  it("the documented example of validation_failed is what this route answers [rules-1]", async () => {
    const { json, status } = await asApp("POST", "/v1/rules/place", { type: "arrive" })
    const documented = ErrorCatalogue.exampleOf("validation_failed", { baseUrl: world.url }) as { message: unknown }
    expect([status, json]).toMatchObject([400, { error: "validation_failed", message: documented.message }])
  })

  it("400 webhook_url_not_registered unless the address is exactly an endpoint's [§7-webhook-url]", async () => {
    expect(await create({ webhook_url: HOOK })).toMatchObject({
      status: 400,
      json: { error: "webhook_url_not_registered" }
    })
    await registerEndpoint()
    for (const near of [`${HOOK}/`, HOOK.toUpperCase(), "https://hooks.example.com"]) {
      expect((await create({ webhook_url: near })).json).toMatchObject({ error: "webhook_url_not_registered" })
    }
    expect((await create({ webhook_url: HOOK })).status).toBe(201)
  })

  it("404 for a place that is not shared, archived, another user's, or no place", async () => {
    const unshared = await addPlace("Attic")
    const archived = await addPlace("Gym")
    await world.run(
      sharePlaces(
        person.account.id,
        await connectionId(),
        [
          { placeId, includeEarlierVisits: false },
          { placeId: archived, includeEarlierVisits: false }
        ],
        "unchecked"
      )
    )
    await person.send("DELETE", `/v1/user/places/${archived}`)
    for (const place_id of [unshared, archived, "plc_none", "", "a b", "x".repeat(100)]) {
      expect(await create({ place_id })).toMatchObject({ status: 404, json: { error: "not_found" } })
    }
  })

  it(`409 conflict for one more than ${AccountLimits.RULES.most} rules [§7-rule-conflict, §8-evaluated-rules, rules-15]`, async () => {
    const ahead = (index: number) =>
      create({ active_from: later(index * 60_000), active_until: later(index * 60_000 + 60_000) })
    for (let index = 1; index <= AccountLimits.RULES.most; index++) expect((await ahead(index)).status).toBe(201)
    expect(await ahead(AccountLimits.RULES.most + 1)).toMatchObject({
      status: 409,
      json: { error: "conflict", message: expect.stringContaining("can have 500 rules") }
    })
  })

  it("409 rule_limit_reached names the instant that would see eleven", async () => {
    for (let count = 0; count < 9; count++) expect((await create()).status).toBe(201)
    const instant = later(60_000)
    expect((await create({ active_from: instant, active_until: later(120_000) })).status).toBe(201)
    expect(await create()).toMatchObject({
      status: 409,
      json: { statusCode: 409, error: "rule_limit_reached", instant, message: expect.stringContaining(instant) }
    })
    expect((await create({ active_until: instant })).status).toBe(201)
  })

  it("checks the token first, then the scope, then the body", async () => {
    expect((await world.call("/v1/rules/place", { method: "POST", ...jsonBody({}) })).status).toBe(401)
    const other = await world.person()
    const tokens = await world.connect(other, (await world.app(other)).app, { scopes: ["location.place.current"] })
    const json = jsonBody({ type: "canary" })
    const answer = await world.call("/v1/rules/place", {
      ...json,
      method: "POST",
      headers: { ...json.headers, ...bearer(tokens.accessToken).headers }
    })
    expect(answer).toMatchObject({ status: 403, json: { error: "missing_scope" } })
    expect((await create({ type: "canary" })).status).toBe(400)
    expect((await asApp("POST", "/v1/rules/place", [])).status).toBe(400)
  })

  it("is in the user's access log, with what was disclosed", async () => {
    await create()
    await create({ place_id: "plc_none" })
    await asApp("GET", "/v1/rules/place")
    const log = await world.run(
      Effect.flatMap(AccessLogStore, (store) => store.list(person.account.id, {}, 100, undefined))
    )
    expect(log.items.map(({ disclosed, endpoint, error }) => [endpoint, error, disclosed])).toEqual(
      expect.arrayContaining([
        ["POST /v1/rules/place", null, "the name of Home"],
        ["POST /v1/rules/place", "not_found", null],
        ["GET /v1/rules/place", null, "1 rule, with the names of places"]
      ])
    )
  })
})

describe("GET and DELETE /v1/rules/place", () => {
  it("lists the connection's rules, oldest first, with the label of now [§4.6-list]", async () => {
    expect((await asApp("GET", "/v1/rules/place")).json).toEqual({ rules: [], nextCursor: null })
    const first = await createdId()
    world.clock.advance(1)
    const second = await createdId({ type: "exit" })
    await person.send("PATCH", `/v1/user/places/${placeId}`, { label: "Mum's" })
    expect(await list()).toMatchObject([
      { id: first, target: { label: "Mum's" } },
      { id: second, target: { label: "Mum's" } }
    ])
  })

  it("a withdrawn place: disabled_at; shared again: null [§3.3-disabled, L8]", async () => {
    await create()
    const share = async (places: ReadonlyArray<string>) =>
      world.run(
        sharePlaces(
          person.account.id,
          await connectionId(),
          places.map((place) => ({ placeId: PlaceId.make(place), includeEarlierVisits: false })),
          "unchecked"
        )
      )
    const withdrawnAt = now()
    await share([])
    world.clock.advance(60_000)
    expect(await list()).toMatchObject([{ state: "disabled", disabled_at: withdrawnAt }])
    await share([placeId])
    expect(await list()).toMatchObject([{ state: "active", disabled_at: null }])
  })

  it("DELETE: 204 without body, then 404 [§4.6-delete]", async () => {
    const id = await createdId()
    const first = await asApp("DELETE", `/v1/rules/place/${id}`)
    expect([first.status, first.text]).toEqual([204, ""])
    expect(await asApp("DELETE", `/v1/rules/place/${id}`)).toMatchObject({ status: 404, json: { error: "not_found" } })
    expect((await asApp("DELETE", "/v1/rules/place/a%20b")).status).toBe(404)
    expect(await list()).toEqual([])
  })

  it("another app's rule is not there", async () => {
    const id = await createdId()
    const other = (await world.app(person, { name: App.AppName.make("Other") })).app
    const tokens = await world.connect(person, other, { scopes: ["location.rules.place"], places: [placeId] })
    const answer = await world.call(`/v1/rules/place/${id}`, { method: "DELETE", ...bearer(tokens.accessToken) })
    expect(answer.status).toBe(404)
    expect(await list()).toHaveLength(1)
  })
})

describe("the user's view of rules [decisions §10]", () => {
  it("lists what an app asked, without where the app listens [rules-5]", async () => {
    await registerEndpoint()
    const id = await createdId({ webhook_url: HOOK })
    const answer = await person.get(`/v1/user/connections/${await connectionId()}/rules`)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      rules: [
        {
          id,
          type: "enter",
          target: { place_id: placeId, label: "Home" },
          dwell_minutes: null,
          settle_s: null,
          silence_s: null,
          active_from: null,
          active_until: null,
          state: "active",
          disabled_at: null,
          area: null,
          webhook_host: null,
          created_at: now()
        }
      ],
      nextCursor: null
    })
  })

  it("the user stops a rule, naming the connection or not: 204, then 404; the app's list is empty", async () => {
    const connection = await connectionId()
    const [first, second] = [await createdId(), await createdId()]
    const paths = [`/v1/user/connections/${connection}/rules/${first}`, `/v1/user/rules/${second}`]
    for (const path of paths) expect((await person.send("DELETE", path)).status).toBe(204)
    for (const path of paths) expect((await person.send("DELETE", path)).status).toBe(404)
    expect(await list()).toEqual([])
  })

  it("another user neither sees nor stops it", async () => {
    const id = await createdId()
    const connection = await connectionId()
    const other = await world.person()
    expect((await other.get(`/v1/user/connections/${connection}/rules`)).status).toBe(404)
    expect((await other.send("DELETE", `/v1/user/connections/${connection}/rules/${id}`)).status).toBe(404)
    expect((await other.send("DELETE", `/v1/user/rules/${id}`)).status).toBe(404)
    expect(await list()).toHaveLength(1)
  })

  it("nothing is left of an ended connection", async () => {
    await create()
    const connection = await connectionId()
    await world.run(disconnect(person.account.id, connection))
    expect((await person.get(`/v1/user/connections/${connection}/rules`)).json).toEqual({ rules: [], nextCursor: null })
    expect((await create()).status).toBe(401)
  })
})
