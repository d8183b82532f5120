import { AccessLogStore } from "@place-access/domain/access-log"
import { ConnectionStore } from "@place-access/domain/connection"
import { fanOutAll, deliverDue, MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

const MINUTE = 60_000
const QUAY = { lat: 52.38, lon: 4.9, radius_m: 500, label: "Quay" }
const INSIDE = { lat: QUAY.lat, lon: QUAY.lon, accuracy_m: 10 }
const OUTSIDE = { lat: QUAY.lat + 0.1, lon: QUAY.lon, accuracy_m: 10 }

let world: World
let person: Person
let app: Awaited<ReturnType<World["app"]>>["app"]
let token: string

beforeAll(async () => {
  world = await startWorld()
})
beforeEach(async () => {
  person = await world.person()
  app = (await world.app(person)).app
  token = await connect()
})
afterAll(() => world.close())

const connect = async (): Promise<string> =>
  (await world.connect(person, app, { scopes: ["location.rules.zone", "location.rules.place"] })).accessToken

const asApp = (method: string, path: string, body?: unknown) => {
  const json = body === undefined ? {} : jsonBody(body)
  return world.call(path, { ...json, method, headers: { ...json.headers, ...bearer(token).headers } })
}
const create = (body: object = {}) => asApp("POST", "/v1/rules/zone", { type: "enter", ...QUAY, ...body })
const createdId = async (body: object = {}): Promise<string> => ((await create(body)).json as { id: string }).id

interface List {
  readonly rules: ReadonlyArray<{ readonly id: string; readonly state: string }>
  readonly nextCursor: string | null
}
const list = async (path = "/v1/rules/zone"): Promise<List> => (await asApp("GET", path)).json as List

const now = () => new Date(world.clock.now()).toISOString()
const later = (millis: number) => new Date(world.clock.now() + millis).toISOString()
const connectionId = () =>
  world.run(
    Effect.map(
      Effect.flatMap(ConnectionStore, (store) => store.listOfUser(person.account.id)),
      ([first]) => first!.connection.id
    )
  )

describe("POST /v1/rules/zone [§4.6]", () => {
  it("answers 201 with the rule object of Spec §2.6, a target without a place, and the area as it was drawn [§2.6, §3.3-create, §4.6-create-zone]", async () => {
    const answer = await create()
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^rul_/),
      type: "enter",
      target: { place_id: null, label: "Quay" },
      lat: QUAY.lat,
      lon: QUAY.lon,
      radius_m: 500,
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
    expect((await list()).rules).toEqual([answer.json])
  })

  it("takes every optional field", async () => {
    const wishes = {
      type: "dwell",
      dwell_minutes: 5,
      settle_s: null,
      silence_s: null,
      active_from: later(1),
      active_until: later(2),
      max_event_age_s: 30,
      lat: -90,
      lon: 180,
      radius_m: 10_000,
      label: "é".repeat(80)
    }
    const { label, ...rest } = wishes
    expect(await create(wishes)).toMatchObject({
      status: 201,
      json: { ...rest, target: { place_id: null, label }, state: "inactive" }
    })
  })

  it("400 names every problem at once, by the names on the wire, and repeats no value [§4.6-create-zone]", async () => {
    const answer = await create({
      type: "canary",
      lat: 90.5,
      lon: "canary",
      radius_m: 99.9,
      label: "canary".repeat(14),
      dwell_minutes: "canary",
      webhook_url: ["canary"],
      active_from: "canary",
      active_until: later(-1),
      max_event_age_s: 29
    })
    expect(answer.status).toBe(400)
    const { error, message } = answer.json as { error: string; message: ReadonlyArray<string> }
    expect(error).toBe("validation_failed")
    expect(message.map((text) => text.split(" ")[0])).toEqual([
      "type",
      "dwell_minutes",
      "webhook_url",
      "active_from",
      "max_event_age_s",
      "active_until",
      "lat",
      "lon",
      "radius_m",
      "label"
    ])
    expect(answer.text).not.toContain("canary")
    expect((await list()).rules).toEqual([])
  })

  it("400 webhook_url_not_registered; 403 without the scope for zones, whatever place rules may do", async () => {
    expect(await create({ webhook_url: "https://hooks.example.com/in" })).toMatchObject({
      status: 400,
      json: { error: "webhook_url_not_registered" }
    })
    const other = await world.person()
    const tokens = await world.connect(other, (await world.app(other)).app, { scopes: ["location.rules.place"] })
    token = tokens.accessToken
    for (const answer of [await create(), await asApp("GET", "/v1/rules/zone/x/evaluations")])
      expect(answer).toMatchObject({ status: 403, json: { error: "missing_scope" } })
  })

  it("an app that lost the scope of ten rules lists and deletes them, and may make others again [L11, rules-5]", async () => {
    const ids: Array<string> = []
    for (let count = 0; count < 10; count++) ids.push(await createdId())
    const declare = (...scopes: ReadonlyArray<string>) =>
      person.send("PATCH", `/v1/developer/apps/${app.id}`, { scopes })
    await declare("location.rules.place")
    const made = await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", lat: 52.37, lon: 4.89 })
    const placeId = (made.json as { id: string }).id
    const shared = `/v1/user/connections/${await connectionId()}/places`
    await person.send("PUT", shared, { places: [{ id: placeId, include_earlier_visits: false }] })
    const place = () => asApp("POST", "/v1/rules/place", { type: "exit", place_id: placeId })
    expect(await place()).toMatchObject({
      status: 409,
      json: {
        error: "rule_limit_reached",
        message: expect.stringMatching(/^Ten rules .* count .*disabled rules count/)
      }
    })
    const { rules } = await list()
    expect(rules.map(({ id, state }) => [id, state]).sort()).toEqual(ids.map((id) => [id, "disabled"]).sort())
    expect((await asApp("DELETE", `/v1/rules/zone/${ids[0]}`)).status).toBe(204)
    expect((await place()).status).toBe(201)
    await declare("location.lookup")
    for (const answer of [await asApp("GET", "/v1/rules/zone"), await asApp("DELETE", `/v1/rules/zone/${ids[1]}`)])
      expect(answer).toMatchObject({ status: 403, json: { error: "missing_scope" } })
  })

  it("409 counts place and zone rules together and names the instant that would see eleven [L11]", async () => {
    const made = await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", lat: 52.37, lon: 4.89 })
    const placeId = (made.json as { id: string }).id
    const shared = `/v1/user/connections/${await connectionId()}/places`
    await person.send("PUT", shared, { places: [{ id: placeId, include_earlier_visits: false }] })
    const place = (body: object) => asApp("POST", "/v1/rules/place", { type: "exit", place_id: placeId, ...body })
    for (let count = 0; count < 5; count++) expect((await create()).status).toBe(201)
    for (let count = 0; count < 4; count++) expect((await place({})).status).toBe(201)
    const instant = later(MINUTE)
    expect((await place({ active_from: instant, active_until: later(2 * MINUTE) })).status).toBe(201)
    for (const answer of [await create(), await place({})])
      expect(answer).toMatchObject({ status: 409, json: { error: "rule_limit_reached", instant } })
    expect((await create({ active_until: instant })).status).toBe(201)
  })
})

describe("GET and DELETE /v1/rules/zone", () => {
  it("lists zone rules alone, page by page, oldest first; a cursor of another list is refused [§4.6-list, rules-5]", async () => {
    const ids: Array<string> = []
    for (let count = 0; count < 5; count++) {
      ids.push(await createdId())
      world.clock.advance(1)
    }
    const first = await list("/v1/rules/zone?limit=2")
    const second = await list(`/v1/rules/zone?limit=2&cursor=${first.nextCursor}`)
    const third = await list(`/v1/rules/zone?limit=2&cursor=${second.nextCursor}`)
    expect([first, second, third].map(({ rules }) => rules.map(({ id }) => id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2, 4),
      ids.slice(4)
    ])
    expect(third.nextCursor).toBeNull()
    expect(await list("/v1/rules/place")).toEqual({ rules: [], nextCursor: null })
    for (const query of ["limit=0", "limit=501", "cursor=abc", `cursor=${first.nextCursor}x`])
      expect((await asApp("GET", `/v1/rules/zone?${query}`)).status).toBe(400)
    expect((await asApp("GET", `/v1/rules/place?cursor=${first.nextCursor}`)).status).toBe(400)
  })

  it("DELETE: 204, then 404; neither kind removes the other's [§4.6-delete]", async () => {
    const id = await createdId()
    expect((await asApp("DELETE", `/v1/rules/place/${id}`)).status).toBe(404)
    const first = await asApp("DELETE", `/v1/rules/zone/${id}`)
    expect([first.status, first.text]).toEqual([204, ""])
    expect(await asApp("DELETE", `/v1/rules/zone/${id}`)).toMatchObject({ status: 404, json: { error: "not_found" } })
    expect((await list()).rules).toEqual([])
  })

  it("state follows the window: inactive before it, active in it, finished from its end on, and still listed [§3.3-before]", async () => {
    const states = async () => (await list()).rules.map(({ state }) => state)
    await create({ active_from: later(MINUTE), active_until: later(2 * MINUTE) })
    const seen: Array<ReadonlyArray<string>> = []
    for (const step of [0, MINUTE - 1, 1, MINUTE - 1, 1]) {
      world.clock.advance(step)
      seen.push(await states())
    }
    expect(seen.flat()).toEqual(["inactive", "inactive", "active", "active", "finished"])
  })
})

describe("the user's view of zones", () => {
  it("reads that it is an area that the app chose, and where; may stop it", async () => {
    const id = await createdId()
    const rules = `/v1/user/connections/${await connectionId()}/rules`
    expect((await person.get(rules)).json).toMatchObject({
      rules: [
        {
          id,
          target: { place_id: null, label: "Quay" },
          area: { lat: QUAY.lat, lon: QUAY.lon, radius_m: 500 },
          state: "active"
        }
      ]
    })
    const page = await person.get(`/portal/connections/${await connectionId()}`)
    expect(page.text).toContain("<strong>Quay<")
    expect(page.text).toContain(`an area that ${app.name} chose: 500 m around 52.38000, 4.90000`)
    expect((await person.send("DELETE", `${rules}/${id}`)).status).toBe(204)
    expect((await list()).rules).toEqual([])
  })

  it("the page shows finished rules as over, and goes on where a page is full", async () => {
    const id = await connectionId()
    await create({ active_until: later(1) })
    world.clock.advance(1)
    expect((await person.get(`/portal/connections/${id}`)).text).toContain(">Over<")
    for (let count = 0; count < 50; count++) {
      expect((await create({ label: `Later ${count}`, active_until: later(1) })).status).toBe(201)
      world.clock.advance(1)
      // The budget allows twenty zone rules an hour. After every 15 rules the test moves the clock by an hour, and the
      // app needs a new token, because a token lives for an hour.
      if (count % 15 === 14) {
        world.clock.advance(60 * MINUTE)
        token = await connect()
      }
    }
    const { text } = await person.get(`/portal/connections/${id}`)
    const more = /href="([^"]*rules=[^"]*)#rules"/.exec(text)?.[1]
    expect(text).not.toContain("Later 49")
    const next = (await person.get(more ?? "")).text
    expect(next).toContain("Later 49")
    const back = `href="/portal/connections/${id}#rules"`
    expect([text.includes(back), next.includes(back)]).toEqual([false, true])
    expect((await person.get(`/portal/connections/${id}?rules=forged`)).text).toContain("Later 0")
  })
})

describe("zone events, from the phone to the app and the user", () => {
  const HOOK = () => `https://hooks.example.com/${app.id}`
  let device: string

  beforeEach(async () => {
    const made = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    device = (made.json as { token: string }).token
    await person.send("POST", `/v1/developer/apps/${app.id}/webhooks`, { url: HOOK(), events: ["rule.fired"] })
    const answers = MemoryWebhookSender.answers(204)
    await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.script(HOOK(), answers)))
  })

  const upload = (...fixes: ReadonlyArray<object>) => {
    const json = jsonBody({ locations: fixes.map((fix) => ({ captured_at: now(), ...fix })) })
    const headers = { ...json.headers, ...bearer(device).headers }
    return world.call("/v1/phone/locations", { method: "POST", ...json, headers })
  }
  const work = () => world.run(Effect.zipRight(fanOutAll(100), deliverDue({ limit: 100, perEndpoint: 100 })))
  const bodies = async () =>
    (await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) => receivers.posts(HOOK())))).map(
      ({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>
    )
  const entries = async () =>
    (await world.run(Effect.flatMap(AccessLogStore, (store) => store.list(person.account.id, {}, 100, undefined))))
      .items
  const firings = async () => (await entries()).filter(({ endpoint }) => endpoint.startsWith("webhook "))

  it("enter, dwell and exit: payloads of Spec §6.2 without coordinates, and the zone's label in the access log [§6.2-rule]", async () => {
    const ids = {
      enter: await createdId(),
      dwell: await createdId({ type: "dwell", dwell_minutes: 5 }),
      exit: await createdId({ type: "exit" })
    }
    await upload(OUTSIDE)
    for (const fix of [INSIDE, INSIDE, OUTSIDE]) {
      world.clock.advance(5 * MINUTE)
      await upload(fix)
    }
    await work()
    const sent = await bodies()
    expect(sent.sort((a, b) => String(a["occurred_at"]).localeCompare(String(b["occurred_at"])))).toEqual(
      (["enter", "dwell", "exit"] as const).map((type, index) => ({
        event_id: expect.stringMatching(/^evt_/),
        app_id: app.id,
        endpoint_id: expect.stringMatching(/^/),
        type: `zone.${type}`,
        occurred_at: later((index - 2) * 5 * MINUTE),
        grant_id: expect.stringMatching(/^/),
        rule_id: ids[type],
        target: { place_id: null, label: "Quay" }
      }))
    )
    const fired = await firings()
    expect(fired.map(({ disclosed, endpoint, status }) => [endpoint, status, disclosed]).sort()).toEqual([
      ["webhook zone.dwell", 200, "stayed at Quay"],
      ["webhook zone.enter", 200, "arrived at Quay"],
      ["webhook zone.exit", 200, "left Quay"]
    ])
  })

  it("a rule that was removed sends nothing more, also not what waited [§3.3-stopped]", async () => {
    const id = await createdId()
    await upload(OUTSIDE)
    world.clock.advance(MINUTE)
    await upload(INSIDE)
    await asApp("DELETE", `/v1/rules/zone/${id}`)
    await work()
    expect(await bodies()).toEqual([])
    const [fired, ...more] = await firings()
    expect(fired).toMatchObject({ error: "not_authorised", disclosed: "nothing: “arrived at Quay” was not sent" })
    expect(more).toEqual([])
  })

  it.each([
    [0, 1],
    [1, 0]
  ])(
    "max_event_age_s: %i ms past it, %i sent; what is withheld is in the access log [§4.6.8]",
    async (past, expected) => {
      await create({ max_event_age_s: 30 })
      await upload(OUTSIDE)
      world.clock.advance(MINUTE)
      await upload(INSIDE)
      world.clock.advance(30_000 + past)
      await work()
      expect(await bodies()).toHaveLength(expected)
      const [fired, ...more] = await firings()
      expect(fired).toMatchObject(
        expected === 1
          ? { error: null, disclosed: "arrived at Quay" }
          : { error: "too_old", disclosed: "nothing: “arrived at Quay” came too late" }
      )
      expect(more).toEqual([])
    }
  )

  it("creating one discloses nothing yet, and the log says what the app wants to hear of", async () => {
    await create()
    await asApp("GET", "/v1/rules/zone")
    expect((await entries()).map(({ disclosed, endpoint }) => [endpoint, disclosed])).toEqual(
      expect.arrayContaining([
        ["POST /v1/rules/zone", "nothing yet; it asked for notifications about Quay"],
        ["GET /v1/rules/zone", "1 rule of its own, on areas that it chose"]
      ])
    )
  })
})
