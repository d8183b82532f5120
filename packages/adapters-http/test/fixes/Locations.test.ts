import { flagVolumes, Purpose } from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures, MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { connected, type Connected, LATEST, LOOKUP, saying } from "../support/connected.js"
import { north, phone, type Phone } from "../support/phone.js"
import { type Answer } from "../support/wire.js"
import { bearer, startWorld, type World } from "../support/World.js"

const HISTORY = "location.history.read"
const HOME = { lat: 52.37, lon: 4.89 }
const MINUTE = 60_000
const { DAY } = Timestamp

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

let one: Connected
let mine: Phone
let token: string
beforeEach(async () => {
  world.clock.set("2026-03-01T12:00:00.000Z")
  one = await connected(world)
  mine = await phone(world, one.person)
  token = (await one.connect([LATEST, LOOKUP, HISTORY])).access_token
})

const get = (path: string, as = token): Promise<Answer> => world.call(path, bearer(as))
/** Calls an endpoint for locations, with the purpose that covers every scope. */
const ask = (path: string, query = "", as = token) => get(`/v1/locations/${path}?purpose=order_ahead&${query}`, as)
const ago = (millis: number) => new Date(world.clock.now() - millis).toISOString()
const between = (from: number, to: number) => `from=${ago(from)}&to=${ago(to)}`
const fix = (age: number, point = HOME, accuracyM: number | null = 10) => ({
  ...point,
  accuracy_m: accuracyM,
  captured_at: ago(age)
})
/** The newest entry of the access log. */
const logged = () => world.run(Effect.map(MemoryDatabase, ({ accessLog }) => accessLog.at(-1)))

const ENDPOINTS: ReadonlyArray<readonly [string, string]> = [
  ["latest", ""],
  ["lookup", "at=2026-03-01T12:00:00Z"],
  ["timerange", "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z"],
  ["days", "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z"]
]

describe("purpose [§4.4]", () => {
  it.each(ENDPOINTS)(
    "%s: required on every call, and in the user's log when it is the app's [§4.4-purpose]",
    async (path, query) => {
      expect((await ask(path, query)).status).toBe(200)
      expect(await logged()).toMatchObject({ purpose: "order_ahead", error: null })
      for (const purpose of ["", "purpose=", "purpose=nothing", "purpose=order_ahead&purpose=order_ahead"]) {
        const answer = await get(`/v1/locations/${path}?${query}&${purpose}`)
        expect(answer.json).toEqual({ statusCode: 400, error: "invalid_purpose", message: expect.any(String) })
        expect(await logged()).toMatchObject({ purpose: null, error: "invalid_purpose", disclosed: null })
      }
    }
  )

  it("one that is repeated is refused as repeated, and not as missing", async () => {
    const { json } = await get("/v1/locations/latest?purpose=order_ahead&purpose=order_ahead")
    expect(json).toMatchObject({ error: "invalid_purpose", message: "purpose must not be repeated" })
  })

  it("one that does not cover the scope, or was archived, is refused, and is in the log all the same", async () => {
    const terms = { description: "Only where you are now", scopes: [LATEST] as const, expectedDailyVolume: 5 }
    await world.run(Fixtures.purpose(one.app.id, "only_latest", { terms }))
    expect((await get("/v1/locations/latest?purpose=only_latest")).status).toBe(200)
    expect(saying(await get(`/v1/locations/days?purpose=only_latest`))).toEqual([400, "invalid_purpose"])
    expect(await logged()).toMatchObject({ purpose: "only_latest", error: "invalid_purpose", disclosed: null })
    await world.run(Fixtures.purpose(one.app.id, "given_up", { archivedAt: Timestamp.make(world.clock.now()) }))
    const { json } = await get("/v1/locations/latest?purpose=given_up")
    expect(json).toMatchObject({ error: "invalid_purpose", message: "the purpose was archived" })
  })

  it("a draft is for sandbox apps; an app in production needs an approved one [§4.4-purpose]", async () => {
    const developer = await world.person()
    const { app } = await world.app(developer, { status: "production" })
    const approved = Purpose.PurposeTerms.make({
      description: "Finds coffee near you",
      scopes: [LATEST],
      expectedDailyVolume: 10
    })
    await world.run(Fixtures.purpose(app.id, "find_coffee", { status: "approved", terms: approved, approved }))
    await world.run(Fixtures.purpose(app.id, "sell_coffee"))
    const { accessToken } = await world.connect(one.person, app, { scopes: [LATEST] })
    expect((await get("/v1/locations/latest?purpose=find_coffee", accessToken)).status).toBe(200)
    expect(saying(await get("/v1/locations/latest?purpose=sell_coffee", accessToken))).toEqual([400, "invalid_purpose"])
  })

  it("one that is approved after the consent opens the call too, and the user's log has its wording [purposes-3]", async () => {
    const { app } = await world.app(await world.person(), { status: "production" })
    const approve = (key: string, description: string) => {
      const terms = { description, scopes: [LATEST], expectedDailyVolume: 10 } as const
      return world.run(Fixtures.purpose(app.id, key, { status: "approved", terms, approved: terms }))
    }
    await approve("find_coffee", "Finds coffee near you")
    const { accessToken } = await world.connect(one.person, app, { scopes: [LATEST] })
    await approve("find_tea", "Finds tea near you")
    expect((await get("/v1/locations/latest?purpose=find_tea", accessToken)).status).toBe(200)
    const [newest] = ((await one.person.get("/v1/user/access-log?limit=1")).json as { readonly entries: [object] })
      .entries
    expect(newest).toMatchObject({ app_id: app.id, outcome: "ok", purpose_description: "Finds tea near you" })
  })

  it("is looked at after token and scope, and before every other parameter [§4.4-purpose, answers-6]", async () => {
    const wrong = "at=yesterday&tolerance_s=-1"
    expect(saying(await get(`/v1/locations/lookup?${wrong}`, "nonsense"))).toEqual([401, "invalid_token"])
    expect(saying(await get(`/v1/locations/lookup?${wrong}`))).toEqual([400, "invalid_purpose"])
    const answer = await ask("lookup", wrong)
    expect(saying(answer)).toEqual([400, "validation_failed"])
    expect((answer.json as { readonly message: unknown }).message).toHaveLength(2)
    const without = (await one.connect([LATEST])).access_token
    expect(saying(await get(`/v1/locations/lookup?${wrong}`, without))).toEqual([403, "missing_scope"])
  })

  it("each endpoint needs its scope; once the sensitive tier has lapsed all answer 403 scope_expired", async () => {
    const scopes = [LATEST, LOOKUP, HISTORY, HISTORY] as const
    for (const [index, [path, query]] of ENDPOINTS.entries()) {
      const needed = scopes[index] ?? LATEST
      const others = [LATEST, LOOKUP, HISTORY].filter((scope) => scope !== needed) as ReadonlyArray<typeof LATEST>
      const answer = await ask(path, query, (await one.connect(others)).access_token)
      expect(answer.json).toMatchObject({ error: "missing_scope", message: expect.stringContaining(needed) })
    }
    const grant = await one.connect([LATEST, LOOKUP, HISTORY], { sensitiveDays: "1" })
    const start = world.clock.now()
    world.clock.set(start + DAY)
    const { access_token: later } = (await one.refresh(grant.refresh_token)).json as { readonly access_token: string }
    for (const [path, query] of ENDPOINTS) {
      expect((await ask(path, query, later)).json).toEqual({
        statusCode: 403,
        error: "scope_expired",
        message: expect.stringContaining("renew"),
        sensitive_expired_at: new Date(start + DAY).toISOString(),
        renewal_grace_ends_at: new Date(start + 15 * DAY).toISOString()
      })
    }
    expect(await logged()).toMatchObject({ error: "scope_expired", disclosed: null })
  })

  it("real calls are counted: as uses on the renewal page, and flagged beyond twice the expected volume", async () => {
    for (let call = 0; call < 41; call++) await ask("latest")
    await ask("lookup", "at=yesterday")
    await get("/v1/locations/latest")
    const parameters = new URLSearchParams({
      client_id: one.app.id,
      redirect_uri: one.app.redirectUris[0] ?? "",
      scope: [LATEST, LOOKUP, HISTORY].join(" "),
      code_challenge: "A".repeat(43),
      code_challenge_method: "S256",
      state: "state-of-the-app"
    })
    const page = (await one.person.get(`/authorize?${parameters.toString()}`)).text
    expect(page.replace(/<[^>]*>|\s+/g, " ")).toMatch(/41 times +To have your coffee ready\./)
    await world.run(flagVolumes(Timestamp.make(world.clock.now() + 1)))
    const flags = await world.run(Effect.map(MemoryDatabase, ({ volumeFlags }) => volumeFlags))
    expect(flags.filter(({ appId }) => appId === one.app.id)).toMatchObject([
      { purposeKey: "order_ahead", calls: 41, expectedDailyVolume: 20 }
    ])
  })
})

describe("GET /v1/locations/latest", () => {
  it("the newest reading, however old and imprecise; null when there is none [§4.4-latest]", async () => {
    expect((await ask("latest")).json).toEqual({ fix: null })
    expect(await logged()).toMatchObject({ disclosed: "that no location of yours is known" })
    await mine.at(north(HOME, 900), [40 * DAY])
    await mine.at(HOME, [39 * DAY], null)
    expect((await ask("latest")).json).toEqual({ fix: fix(39 * DAY, HOME, null) })
    expect(await logged()).toMatchObject({ disclosed: "your last known location" })
  })
})

describe("GET /v1/locations/lookup", () => {
  it("the nearest reading on either side, the earlier one of two; tolerance_s is 900 unless said [§4.4-lookup]", async () => {
    const away = { lat: 52.38, lon: 4.89 }
    await mine.at(HOME, [30 * MINUTE])
    await mine.at(away, [20 * MINUTE])
    const at = async (age: number, more = "") => (await ask("lookup", `at=${ago(age)}${more}`)).json
    expect(await at(25 * MINUTE)).toEqual({
      matched: true,
      fix: fix(30 * MINUTE),
      asOf: ago(30 * MINUTE),
      deltaSeconds: 300
    })
    expect(await at(25 * MINUTE - 1)).toMatchObject({ fix: fix(20 * MINUTE, away), deltaSeconds: 299 })
    expect((await logged())?.disclosed).toMatch(/^your location on 1 March 2026 at/)
    const nothing = { matched: false, fix: null, asOf: null, deltaSeconds: null }
    expect(await at(5 * MINUTE)).toMatchObject({ matched: true, deltaSeconds: 900 })
    expect(await at(5 * MINUTE - 1)).toEqual(nothing)
    expect((await logged())?.disclosed).toMatch(/^that your location on 1 March 2026 at .* is not known$/)
    expect(await at(30 * MINUTE, "&tolerance_s=0")).toMatchObject({ matched: true })
    expect(await at(30 * DAY, "&tolerance_s=86400")).toEqual(nothing)
  })
})

describe("GET /v1/locations/timerange", () => {
  const pagesOf = async (stretch: string, limit: number) => {
    const disclosures: Array<unknown> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const { json } = await ask("timerange", `${stretch}&limit=${limit}${more}`)
      const page = json as { readonly fixes: ReadonlyArray<unknown>; readonly nextCursor: string | null }
      disclosures.push(...page.fixes)
      cursor = page.nextCursor
    }
    return disclosures
  }

  it("oldest first, from inclusive and to exclusive; the user reads how many and of when [§4.4-timerange]", async () => {
    await mine.at(HOME, [4 * MINUTE, 2 * MINUTE, 3 * MINUTE, MINUTE])
    const { json } = await ask("timerange", between(4 * MINUTE, MINUTE))
    expect(json).toEqual({ fixes: [4, 3, 2].map((age) => fix(age * MINUTE)), nextCursor: null })
    expect((await logged())?.disclosed).toBe("3 locations from 1 March 2026 at 11:56 UTC to 1 March 2026 at 11:59 UTC")
  })

  it("page by page, each reading once, many of one instant too; 100 on a page unless said [answers-7]", async () => {
    const points = Array.from({ length: 7 }, (_, index) => north(HOME, index))
    for (const point of points) await mine.at(point, [MINUTE, 2 * MINUTE])
    await mine.at(
      HOME,
      Array.from({ length: 120 }, (_, index) => 3 * MINUTE + index)
    )
    const all = await pagesOf(between(DAY, 0), 1_000)
    expect(all).toHaveLength(134)
    for (const limit of [3, 50, 133, 134]) expect(await pagesOf(between(DAY, 0), limit)).toEqual(all)
    const first = (await ask("timerange", between(DAY, 0))).json as { readonly fixes: ReadonlyArray<unknown> }
    expect(first.fixes).toHaveLength(100)
  })

  it("a cursor is opaque, and good for its connection, from and to alone [§4.4-timerange, answers-7]", async () => {
    await mine.at(HOME, [3 * MINUTE, 2 * MINUTE, MINUTE])
    const page = await ask("timerange", `${between(DAY, 0)}&limit=1`)
    const cursor = encodeURIComponent((page.json as { readonly nextCursor: string }).nextCursor)
    const devices = await world.run(Effect.map(MemoryDatabase, ({ fixes }) => [...fixes.values()]))
    const body = Buffer.from(decodeURIComponent(cursor).split(".")[1] ?? "", "base64url").toString()
    for (const { deviceId, lat } of devices) {
      expect(body).not.toContain(deviceId)
      expect(body).not.toContain(String(lat))
    }
    expect((await ask("timerange", `${between(DAY, 0)}&limit=7&cursor=${cursor}`)).json).toMatchObject({
      fixes: [fix(2 * MINUTE), fix(MINUTE)]
    })
    const other = await connected(world)
    const stranger = (await other.connect([HISTORY])).access_token
    const refused = [
      await ask("timerange", `${between(DAY, MINUTE)}&cursor=${cursor}`),
      await ask("timerange", `${between(DAY - 1, 0)}&cursor=${cursor}`),
      await ask("timerange", `${between(DAY, 0)}&cursor=${cursor}x`),
      await ask("timerange", `${between(DAY, 0)}&cursor=1`),
      await ask("timerange", `${between(DAY, 0)}&cursor=${cursor}`, stranger)
    ]
    for (const { json } of refused) {
      expect(json).toEqual({
        statusCode: 400,
        error: "validation_failed",
        message: "cursor was not issued for this list; start again without it"
      })
    }
  })

  it.each([
    ["", ["from is missing", "to is missing"]],
    ["from=2026-03-02T00:00:00Z&to=2026-03-02T00:00:00Z", "to must be after from"],
    ["from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z", "to must be after from"],
    ["from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00.001Z", "to must be at most 31 days after from"],
    [
      "from=2026-03-01&to=x&limit=1001",
      [
        expect.stringMatching(/^from must be an ISO 8601/),
        expect.stringMatching(/^to must be an ISO 8601/),
        "limit must be a whole number from 1 to 1000"
      ]
    ]
  ])("%s: 400 that names every field", async (query, message) => {
    expect((await ask("timerange", query)).json).toEqual({ statusCode: 400, error: "validation_failed", message })
  })

  it("31 days to the millisecond are allowed", async () => {
    expect((await ask("timerange", "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z")).status).toBe(200)
  })
})

describe("GET /v1/locations/days", () => {
  const days = async (query: string) => (await ask("days", query)).json

  it("each day with readings, in the calendar of tz; UTC unless said; what is before from and from to on is left out [§4.4-days]", async () => {
    const seen = [
      "2026-02-26T22:59:59.999Z",
      "2026-02-26T23:00:00.000Z",
      "2026-02-27T12:00:00.000Z",
      "2026-02-28T23:00:00.000Z"
    ]
    await mine.at(
      HOME,
      seen.map((at) => world.clock.now() - Date.parse(at))
    )
    const stretch = "from=2026-02-26T22:59:59.999Z&to=2026-02-28T23:00:00.000Z"
    const day = (date: string, fixes: number, first: number, last: number) => ({
      date,
      fixes,
      first_at: seen[first],
      last_at: seen[last]
    })
    expect(await days(stretch)).toEqual({ days: [day("2026-02-26", 2, 0, 1), day("2026-02-27", 1, 2, 2)] })
    expect(await days(`${stretch}&tz=Europe/Amsterdam`)).toEqual({
      days: [day("2026-02-26", 1, 0, 0), day("2026-02-27", 2, 1, 2)]
    })
    expect((await logged())?.disclosed).toMatch(/^how many locations there are on each of 2 days from 26 February 2026/)
  })

  it.each([
    ["tz=Nowhere", ["from is missing", "to is missing"]],
    ["from=2026-01-01T00:00:00Z&to=2027-01-02T00:00:00.001Z", "to must be at most 366 days after from"],
    [
      "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z&tz=%2B01:00",
      ["tz must be the IANA name of a time zone, such as Europe/Amsterdam", "to must be after from"]
    ]
  ])("%s: 400 that names every field", async (query, message) => {
    expect(await days(query)).toEqual({ statusCode: 400, error: "validation_failed", message })
  })

  it("a question about 366 days is allowed", async () => {
    expect(await days("from=2025-03-01T00:00:00Z&to=2026-03-02T00:00:00Z&tz=Asia/Kathmandu")).toEqual({ days: [] })
  })
})
