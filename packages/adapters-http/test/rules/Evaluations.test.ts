import { ConnectionStore, disconnect, sharePlaces } from "@place-access/domain/connection"
import { type Rule, RuleStore } from "@place-access/domain/rules"
import { Disclosure } from "@place-access/domain/answers"
import { PlaceId, RuleId, Timestamp } from "@place-access/domain/shared"
import { pauseConnection, resumeConnection } from "@place-access/domain/steering"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

const HOME = { lat: 52.37, lon: 4.89 }
const AWAY = { lat: 52.39, lon: 4.89 }
/** About 145 m north of `HOME`, the centre of a circle of 150 m: too near the edge to decide. */
const EDGE = { lat: 52.3713, lon: 4.89 }
const SCOPES = ["location.rules.place", "location.rules.zone"]

let world: World
let owner: Person
let person: Person
let app: Awaited<ReturnType<World["app"]>>["app"]
let placeId: string
let token: string
let phone: string

beforeAll(async () => {
  world = await startWorld()
})
beforeEach(async () => {
  owner = await world.person()
  person = await world.person()
  app = (await world.app(owner, { status: "production" })).app
  placeId = ((await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", ...HOME })).json as Made).id
  token = (await world.connect(person, app, { scopes: SCOPES, places: [placeId] })).accessToken
  phone = ((await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })).json as Made).token
})
afterAll(() => world.close())

interface Made {
  readonly id: string
  readonly token: string
}

const asApp = (method: string, path: string, body?: unknown) => {
  const json = body === undefined ? {} : jsonBody(body)
  return world.call(path, { ...json, method, headers: { ...json.headers, ...bearer(token).headers } })
}
const placeRule = async (body: object = {}): Promise<string> =>
  ((await asApp("POST", "/v1/rules/place", { type: "enter", place_id: placeId, ...body })).json as Made).id
const zoneRule = async (): Promise<string> =>
  ((await asApp("POST", "/v1/rules/zone", { type: "enter", ...HOME, radius_m: 150, label: "Quay" })).json as Made).id

/** Uploads a reading that was captured now, a minute after the previous reading. */
const upload = async (where: { readonly lat: number; readonly lon: number }): Promise<string> => {
  world.clock.advance(Timestamp.MINUTE)
  const capturedAt = new Date(world.clock.now()).toISOString()
  const { headers, ...json } = jsonBody({ locations: [{ captured_at: capturedAt, ...where, accuracy_m: 10 }] })
  await world.call("/v1/phone/locations", {
    ...json,
    method: "POST",
    headers: { ...headers, ...bearer(phone).headers }
  })
  return capturedAt
}

const decisions = (json: unknown) =>
  (json as { evaluations: ReadonlyArray<{ decision: string }> }).evaluations.map((one) => one.decision)

const connection = () =>
  world.run(
    Effect.map(
      Effect.flatMap(ConnectionStore, (store) => store.listOfUser(person.account.id)),
      ([first]) => first!.connection
    )
  )
const grantRules = async (who: Person, grantId: string) =>
  who.get(`/v1/developer/apps/${app.id}/rules?grant_id=${grantId}`)
const log = async () =>
  (
    (await person.get("/v1/user/access-log")).json as {
      entries: ReadonlyArray<{ endpoint: string; disclosed: string | null }>
    }
  ).entries

describe("GET /v1/rules/{kind}/{id}/evaluations", () => {
  it("answers the last evaluations, the newest first: time, decision and the event's id", async () => {
    const id = await placeRule()
    const times = [await upload(EDGE), await upload(AWAY), await upload(HOME)]
    const answer = await asApp("GET", `/v1/rules/place/${id}/evaluations`)
    expect(answer.status).toBe(200)
    const at = (index: number) => ({ at: times[index], received_at: times[index] })
    expect(answer.json).toEqual({
      evaluations: [
        { ...at(2), decision: "fired", event_id: expect.stringMatching(/^evt_/) },
        { ...at(1), decision: "seeded", event_id: null },
        { ...at(0), decision: "boundary", event_id: null }
      ],
      nextCursor: null
    })
  })

  it("is empty before the first reading, and never longer than 20", async () => {
    const id = await placeRule()
    const list = async () => decisions((await asApp("GET", `/v1/rules/place/${id}/evaluations`)).json)
    expect(await list()).toEqual([])
    for (let count = 0; count < 22; count++) await upload(AWAY)
    expect(await list()).toEqual(Array.from({ length: 20 }, () => "no_change"))
  })

  it("says nothing of where the user was: no number but those of times", async () => {
    const id = await placeRule()
    for (const where of [AWAY, EDGE, HOME]) await upload(where)
    for (const { text } of [
      await asApp("GET", `/v1/rules/place/${id}/evaluations`),
      await person.get(`/v1/user/connections/${(await connection()).id}/rules/${id}/evaluations`),
      await grantRules(owner, (await connection()).id)
    ]) {
      expect(text).not.toMatch(/52\.|4\.89|lat|lon|distance|accuracy/)
    }
  })

  it("404 for another kind, another connection, a deleted rule and what is no id; 403 without the scope of the kind", async () => {
    const [place, zone] = [await placeRule(), await zoneRule()]
    const other = await world.person()
    const stranger = (await world.connect(other, app, { scopes: SCOPES })).accessToken
    for (const path of [`zone/${place}`, `place/${zone}`, "place/rul_none", "place/a%20b", `zone/${"x".repeat(99)}`]) {
      expect((await asApp("GET", `/v1/rules/${path}/evaluations`)).status).toBe(404)
    }
    expect((await world.call(`/v1/rules/place/${place}/evaluations`, bearer(stranger))).status).toBe(404)
    expect((await asApp("GET", `/v1/rules/zone/${zone}/evaluations`)).status).toBe(200)
    await asApp("DELETE", `/v1/rules/place/${place}`)
    expect((await asApp("GET", `/v1/rules/place/${place}/evaluations`)).status).toBe(404)
    token = (await world.connect(person, app, { scopes: ["location.rules.place"], places: [placeId] })).accessToken
    expect((await asApp("GET", `/v1/rules/zone/${zone}/evaluations`)).status).toBe(403)
  })

  it("the user's access log has it, in words", async () => {
    const id = await placeRule()
    await upload(AWAY)
    await upload(HOME)
    await asApp("GET", `/v1/rules/place/${id}/evaluations`)
    expect((await log())[0]).toMatchObject({
      endpoint: "GET /v1/rules/place/{id}/evaluations",
      disclosed: "the last 2 checks of a rule on Home"
    })
  })

  it("a place that is withdrawn has nothing to tell, until it is shared again; the user goes on reading [rules-9]", async () => {
    const id = await placeRule()
    await upload(AWAY)
    const { id: connectionId } = await connection()
    const share = (...places: ReadonlyArray<string>) =>
      world.run(
        sharePlaces(
          person.account.id,
          connectionId,
          places.map((one) => ({ placeId: PlaceId.make(one), includeEarlierVisits: false })),
          "unchecked"
        )
      )
    await share()
    await upload(HOME)
    const answer = await asApp("GET", `/v1/rules/place/${id}/evaluations`)
    expect([answer.status, decisions(answer.json)]).toEqual([200, []])
    const own = await person.get(`/v1/user/connections/${connectionId}/rules/${id}/evaluations`)
    expect(decisions(own.json)).toEqual(["seeded"])
    await share(placeId)
    expect(decisions((await asApp("GET", `/v1/rules/place/${id}/evaluations`)).json)).toEqual([])
    await upload(HOME)
    // A reading arrived while the user did not share the place. The rule must not have evaluated it, so it is not in
    // the list.
    expect(decisions((await person.get(`/v1/user/connections/${connectionId}/rules/${id}/evaluations`)).json)).toEqual([
      "seeded",
      "seeded"
    ])
    expect(decisions((await asApp("GET", `/v1/rules/place/${id}/evaluations`)).json)).toEqual(["seeded"])
  })

  it("zones cannot be drawn without end to find the user: the 21st that begins in an hour stays silent [rules-10]", async () => {
    const { appId, id: connectionId, userId } = await connection()
    const now = Timestamp.make(world.clock.now())
    const zone = (index: number): Rule.Rule => ({
      userId,
      id: RuleId.make(`rul_${connectionId.slice(4)}_${String(index).padStart(2, "0")}`),
      connectionId,
      appId,
      type: "enter",
      target: { _tag: "Zone", circle: { ...HOME, radiusM: 150 }, label: "Quay" },
      dwellMinutes: null,
      settleS: null,
      silenceS: null,
      webhookUrl: null,
      isLegacy: false,
      window: { from: null, until: null },
      maxEventAgeS: null,
      createdAt: now,
      disabledAt: null
    })
    const zones = Array.from({ length: 21 }, (_, index) => zone(index))
    await world.run(
      Effect.gen(function* () {
        const rules = yield* RuleStore
        for (const rule of zones) yield* rules.create(userId, connectionId, () => ({ outcome: true, rule }))
      })
    )
    await upload(EDGE)
    const answers = await Promise.all(
      zones.map(async ({ id }) => decisions((await asApp("GET", `/v1/rules/zone/${id}/evaluations`)).json))
    )
    expect(answers).toEqual([...Array.from({ length: 20 }, () => ["boundary"]), []])
    const own = await person.get(`/v1/user/connections/${connectionId}/rules/${zones[20]!.id}/evaluations`)
    expect(decisions(own.json)).toEqual(["boundary"])
  })
})

describe("during a pause", () => {
  const pause = async () => world.run(pauseConnection(person.account.id, (await connection()).id, "until_resumed"))
  const resume = async () => world.run(resumeConnection(person.account.id, (await connection()).id))

  it("the app reads no evaluation, and why; the user reads all [connection-4, connection-5, rules-9]", async () => {
    const id = await placeRule()
    await upload(AWAY)
    await upload(HOME)
    const { id: connectionId } = await connection()
    const read = async () => (await asApp("GET", `/v1/rules/place/${id}/evaluations`)).json
    expect(decisions(await read())).toEqual(["fired", "seeded"])
    await pause()
    world.clock.advance(Timestamp.SECOND)
    expect(await read()).toEqual({ evaluations: [], nextCursor: null, reason: "paused" })
    expect((await log())[0]).toMatchObject({ disclosed: Disclosure.PAUSED })
    const own = await person.get(`/v1/user/connections/${connectionId}/rules/${id}/evaluations`)
    expect(decisions(own.json)).toEqual(["fired", "seeded"])
    await resume()
    expect(await read()).toEqual({ evaluations: [], nextCursor: null })

    // The service stores only the newest pause. After a second pause, the app must still not see the evaluations that
    // the first pause has hidden.
    await upload(AWAY)
    await pause()
    expect(decisions(await read())).toEqual([])
  })

  it("the developer reads the rules without evaluations, in the API and on the page [connection-4, rules-9]", async () => {
    const id = await placeRule()
    await upload(HOME)
    const { id: connectionId } = await connection()
    await pause()
    world.clock.advance(Timestamp.SECOND)
    const answer = await grantRules(owner, connectionId)
    expect(answer.json).toMatchObject({ rules: [{ id, evaluations: [] }], reason: "paused" })
    const disclosed = "1 rule without their last checks, to the app's developer"
    expect((await log())[0]).toMatchObject({ disclosed })
    const page = await owner.get(`/developer/apps/${app.id}/users/${connectionId}/rules`)
    expect(page.text).toContain("The user has paused the app.")
    await resume()
    expect((await grantRules(owner, connectionId)).json).not.toHaveProperty("reason")
  })
})

describe("GET /v1/user/connections/{id}/rules/{rule_id}/evaluations", () => {
  it("gives the user the same; 404 for somebody else's", async () => {
    const id = await placeRule()
    await upload(AWAY)
    const path = `/v1/user/connections/${(await connection()).id}/rules/${id}/evaluations`
    expect(decisions((await person.get(path)).json)).toEqual(["seeded"])
    expect((await owner.get(path)).status).toBe(404)
    expect((await world.call(path)).status).toBe(401)
  })
})

describe("GET /v1/developer/apps/{app_id}/rules", () => {
  it("gives the developer the rules of a connection with their evaluations, and the user an entry in the access log [rules-9]", async () => {
    const [place, zone] = [await placeRule(), await zoneRule()]
    await upload(AWAY)
    const { id } = await connection()
    const answer = await grantRules(owner, id)
    expect(answer.status).toBe(200)
    const { rules } = answer.json as { rules: ReadonlyArray<{ id: string }> }
    expect(rules.map((rule) => rule.id).sort()).toEqual([place, zone].sort())
    expect(rules.map(decisions)).toEqual([["seeded"], ["seeded"]])
    expect(answer.text).not.toContain(person.account.id)
    expect((await log())[0]).toMatchObject({
      endpoint: "GET /v1/developer/apps/{app_id}/rules",
      disclosed: "2 rules with their last checks, to the app's developer"
    })
  })

  it("gives nothing that the app could not read: 404 once the connection has ended, only kinds whose scope holds [rules-9]", async () => {
    await zoneRule()
    const place = await placeRule()
    const { id } = await connection()
    await world.connect(person, app, { scopes: ["location.rules.place"], places: [placeId] })
    const { rules } = (await grantRules(owner, id)).json as { rules: ReadonlyArray<{ id: string }> }
    expect(rules.map((rule) => rule.id)).toEqual([place])
    await world.run(disconnect(person.account.id, id))
    const before = (await log()).length
    expect((await grantRules(owner, id)).status).toBe(404)
    expect(await log()).toHaveLength(before)
  })

  it.each([
    ["the person", () => person.account.id],
    ["the app's holder (a member of the team reads)", () => owner.account.id]
  ])(
    "gives nothing while the account of %s is suspended, and the rules again afterwards [rules-9, staff-1]",
    async (_, of) => {
      await placeRule()
      await upload(AWAY)
      const { id } = await connection()
      const admin = await world.person({ roles: ["admin"] })
      const member = await world.person()
      const invitations = `/v1/developer/apps/${app.id}/team/invitations`
      const invited = await owner.send("POST", invitations, { email: member.account.email, role: "developer" })
      await member.send("POST", `${invitations}/${(invited.json as Made).id}/accept`)
      await admin.send("POST", `/v1/admin/accounts/${of()}/suspend`)
      await upload(HOME)
      expect((await asApp("GET", "/v1/rules/place")).status).toBe(503)
      expect((await grantRules(member, id)).status).toBe(404)
      await admin.send("POST", `/v1/admin/accounts/${of()}/resume`)
      expect((await grantRules(member, id)).status).toBe(200)
    }
  )

  it("404 for somebody else's app or connection; 400 without a grant_id", async () => {
    const { id } = await connection()
    expect((await grantRules(person, id)).status).toBe(404)
    const { app: another } = await world.app(owner)
    expect((await owner.get(`/v1/developer/apps/${another.id}/rules?grant_id=${id}`)).status).toBe(404)
    expect((await grantRules(owner, "con_none")).status).toBe(404)
    const answer = await owner.get(`/v1/developer/apps/${app.id}/rules`)
    expect([answer.status, answer.text.includes("grant_id")]).toEqual([400, true])
  })
})
