import type { Scope } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { connected, type Connected, saying } from "../support/connected.js"
import { north, phone, type Phone } from "../support/phone.js"
import { type Answer, jsonBody } from "../support/wire.js"
import { bearer, startWorld, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const LOOKUP = "location.place.lookup"
const ZONE = "location.zone.verify"
const HOME = { lat: 52.37, lon: 4.89 }
const FAR = north(HOME, 5_000)
const MINUTE = 60_000

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

let one: Connected
let mine: Phone
let token: string
beforeEach(async () => {
  one = await connected(world)
  mine = await phone(world, one.person)
  token = (await one.connect([CURRENT, LOOKUP, ZONE])).access_token
})

const get = (path: string, as = token): Promise<Answer> => world.call(path, bearer(as))
const current = async (query = "") => (await get(`/v1/answers/current-place${query}`)).json
const presence = (id: string, query = "") => get(`/v1/answers/places/${id}/presence${query}`)
const lookUp = (query: string) => get(`/v1/lookup/place?${query}`)
const verify = (change: object = {}, as = token) => {
  const json = jsonBody({ ...HOME, radius_m: 500, label: "Depot 7", ...change })
  return world.call("/v1/answers/verify-zone", {
    method: "POST",
    ...json,
    headers: { ...json.headers, ...bearer(as).headers }
  })
}
const ago = (millis: number) => new Date(world.clock.now() - millis).toISOString()
const home = () => ({ id: one.placeId, label: "Home", kind: "home" })
const place = async (label: string, point: object, radiusM = 150) => {
  const { json } = await one.person.send("POST", "/v1/user/places", {
    label,
    kind: "other",
    ...point,
    radius_m: radiusM
  })
  return (json as { readonly id: string }).id
}
const share = async (ids: ReadonlyArray<string>) => {
  const { id } = await one.connection()
  const places = ids.map((placeId) => ({ id: placeId, include_earlier_visits: false }))
  expect((await one.person.send("PUT", `/v1/user/connections/${id}/places`, { places })).status).toBe(200)
}
/** What the app learned, according to the newest entry of the access log. */
const disclosed = () => world.run(Effect.map(MemoryDatabase, ({ accessLog }) => accessLog.at(-1)?.disclosed))

describe("GET /v1/answers/current-place", () => {
  it("at_place with the place, elsewhere, unknown; asOf is the reading that says so; the user reads what the app was shown [§2.5, §4.5-current-place, decisions §4, answers-8]", async () => {
    expect(await current()).toEqual({ state: "unknown", place: null, asOf: null })
    expect(await disclosed()).toBe("It was not known where you were")
    await mine.at(FAR, [3 * MINUTE])
    expect(await current()).toEqual({ state: "elsewhere", place: null, asOf: ago(3 * MINUTE) })
    expect(await disclosed()).toBe("You were at none of the places that it may ask about")
    await mine.at(HOME, [MINUTE])
    expect(await current()).toEqual({ state: "at_place", place: home(), asOf: ago(MINUTE) })
    expect(await disclosed()).toBe("You were at Home")
  })

  it("the newest decisive reading counts: one near the edge, or too imprecise, says neither yes nor no [L9]", async () => {
    await mine.at(HOME, [10 * MINUTE])
    await mine.at(north(HOME, 150), [5 * MINUTE])
    await mine.at(FAR, [3 * MINUTE], 10_000)
    expect(await current()).toMatchObject({ state: "at_place", asOf: ago(10 * MINUTE) })
  })

  it("many readings that tell nothing are gone past, page by page", async () => {
    await mine.at(HOME, [14 * MINUTE])
    await mine.at(
      north(HOME, 150),
      Array.from({ length: 800 }, (_, index) => index * 1_000)
    )
    expect(await current()).toMatchObject({ state: "at_place", asOf: ago(14 * MINUTE) })
  })

  it("max_age_s: 900 unless said, inclusive [answers-3]", async () => {
    await mine.at(HOME, [900_001])
    expect(await current()).toMatchObject({ state: "unknown" })
    expect(await current("?max_age_s=901")).toMatchObject({ state: "at_place" })
    await mine.at(HOME, [900_000])
    expect(await current()).toMatchObject({ state: "at_place", asOf: ago(900_000) })
  })

  it("without a shared place every reading is elsewhere", async () => {
    await mine.at(HOME, [MINUTE], 5_000)
    await share([])
    expect(await current()).toEqual({ state: "elsewhere", place: null, asOf: ago(MINUTE) })
  })

  it("of several places around the user: the smallest, then the one with the nearest centre [L9]", async () => {
    const town = await place("Town", HOME, 5_000)
    const near = await place("Near", north(HOME, 40), 300)
    const nearer = await place("Nearer", north(HOME, 20), 300)
    await mine.at(HOME, [MINUTE])
    await share([town])
    expect(await current()).toMatchObject({ place: { label: "Town" } })
    await share([town, near, nearer])
    expect(await current()).toMatchObject({ place: { label: "Nearer" } })
    await share([town, near, nearer, one.placeId])
    expect(await current()).toMatchObject({ place: { label: "Home" } })
  })

  it("a place that is archived is no place any more", async () => {
    await mine.at(HOME, [MINUTE])
    await one.person.send("DELETE", `/v1/user/places/${one.placeId}`)
    expect(await current()).toEqual({ state: "elsewhere", place: null, asOf: ago(MINUTE) })
  })
})

describe("GET /v1/answers/places", () => {
  const listed = async (as = token) => (await get("/v1/answers/places", as)).json

  it("what is shared and not archived, by label, then id, with the version of the set [§4.5-places, decisions §4, answers-2]", async () => {
    const other = await place("Aunt", FAR)
    const twin = await place("Home", FAR)
    expect(await listed()).toEqual({ places_version: 1, places: [home()] })
    expect(await disclosed()).toBe("the names of 1 shared place")
    await share([other, twin, one.placeId])
    const homes = [home(), { id: twin, label: "Home", kind: "other" }].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(await listed()).toEqual({
      places_version: 2,
      places: [{ id: other, label: "Aunt", kind: "other" }, ...homes]
    })
    expect(await disclosed()).toBe("the names of 3 shared places")
    await share([])
    await listed()
    expect(await disclosed()).toBe("that it may ask about none of your places")
    await share([other, twin, one.placeId])
    await one.person.send("DELETE", `/v1/user/places/${other}`)
    await one.person.send("PATCH", `/v1/user/places/${twin}`, { label: "Zoo" })
    expect(await listed()).toMatchObject({ places: [home(), { id: twin, label: "Zoo" }] })
  })

  it("is open to every standard scope, and to no sensitive one alone: the refusal says that any standard one is enough [decisions §3]", async () => {
    const scopes: ReadonlyArray<Scope.StandardScope> = ["location.visits.read", "location.rules.zone"]
    for (const scope of scopes) {
      expect((await get("/v1/answers/places", (await one.connect([scope])).access_token)).status).toBe(200)
    }
    const sensitive = (await one.connect(["location.latest.read"])).access_token
    for (const path of ["/v1/answers/places", "/v1/rules/place"]) {
      const refused = await get(path, sensitive)
      expect(saying(refused)).toEqual([403, "missing_scope"])
      expect(refused.json).toMatchObject({ message: "No standard scope was granted; any one of them is enough" })
      expect(refused.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope"')
    }
  })
})

describe("GET /v1/answers/places/{place_id}/presence", () => {
  it("yes, no, unknown, by the newest reading that is decisive about this place [§4.5-presence]", async () => {
    const aunt = await place("Aunt", FAR)
    await share([one.placeId, aunt])
    expect((await presence(one.placeId)).json).toEqual({ state: "unknown", place: home(), asOf: null })
    expect(await disclosed()).toBe("It was not known whether you were at Home")
    await mine.at(HOME, [3 * MINUTE])
    await mine.at(FAR, [MINUTE], 4_900)
    expect((await presence(one.placeId)).json).toEqual({ state: "yes", place: home(), asOf: ago(3 * MINUTE) })
    expect(await disclosed()).toBe("You were at Home")
    expect((await presence(aunt)).json).toMatchObject({ state: "no", asOf: ago(3 * MINUTE) })
    expect(await disclosed()).toBe("You were not at Aunt")
    expect((await presence(one.placeId, "?max_age_s=60")).json).toMatchObject({ state: "unknown", asOf: null })
  })

  it("404 with one body for a place that is unknown, withdrawn, archived or somebody else's [§4.5-presence, answers-1]", async () => {
    await mine.at(HOME, [MINUTE])
    const [withdrawn, archived] = [await place("Gone", HOME), await place("Old", HOME)]
    await share([withdrawn, archived])
    await share([archived])
    await one.person.send("DELETE", `/v1/user/places/${archived}`)
    const other = await connected(world)
    await other.connect([CURRENT])
    const answers = [
      await presence(withdrawn),
      await presence(archived),
      await presence(one.placeId),
      await presence(other.placeId),
      await presence("plc_nothing"),
      await presence("no%20id%20at%20all")
    ]
    for (const answer of answers) {
      expect([answer.status, answer.json]).toEqual([
        404,
        { statusCode: 404, error: "not_found", message: "No such place" }
      ])
    }
    expect(await disclosed()).toBeNull()
  })
})

describe("POST /v1/answers/verify-zone", () => {
  it("yes, no, unknown for a circle of the app's own; the user reads its label [§4.5-verify-zone]", async () => {
    expect((await verify()).json).toEqual({ state: "unknown", asOf: null })
    expect(await disclosed()).toBe("whether you were within 500 m of “Depot 7”: not known")
    await mine.at(HOME, [MINUTE])
    expect((await verify()).json).toEqual({ state: "yes", asOf: ago(MINUTE) })
    expect(await disclosed()).toBe("whether you were within 500 m of “Depot 7”: yes")
    expect((await verify(FAR)).json).toEqual({ state: "no", asOf: ago(MINUTE) })
    expect((await verify({ max_age_s: 59 })).json).toEqual({ state: "unknown", asOf: null })
  })

  it("every fault at once, by field and without a value: the limits of a zone rule [answers-5]", async () => {
    const answer = await verify({ lat: 90.1, lon: -181, radius_m: 99, label: " ", max_age_s: 0 })
    const { message } = answer.json as { readonly message: ReadonlyArray<string> }
    expect(message).toEqual([
      "lat must be a number from -90 to 90",
      "lon must be a number from -180 to 180",
      "radius_m must be a number from 100 to 10000",
      "label must not be empty",
      "max_age_s must be a whole number from 1 to 86400"
    ])
    for (const change of [{ radius_m: 10_001 }, { label: "x".repeat(81) }, { max_age_s: 86_401 }, { lat: "52" }]) {
      expect(saying(await verify(change))).toEqual([400, "validation_failed"])
    }
    const edges = { lat: -90, lon: 180, radius_m: 10_000, label: "😀".repeat(80), max_age_s: 86_400 }
    expect((await verify(edges)).status).toBe(200)
  })

  it("20 calls in any hour for a connection, then 429 budget_exceeded; what is refused costs nothing [§4.5-verify-zone]", async () => {
    for (let call = 0; call < 20; call++) {
      expect(saying(await verify({ radius_m: 1 }))).toEqual([400, "validation_failed"])
      expect((await verify()).status).toBe(200)
    }
    const refused = await verify()
    expect([...saying(refused), refused.headers.get("retry-after")]).toEqual([429, "budget_exceeded", "3600"])
    expect(await disclosed()).toBeNull()
    const other = await connected(world)
    expect((await verify({}, (await other.connect([ZONE])).access_token)).status).toBe(200)
  })
})

describe("GET /v1/lookup/place [§4.5]", () => {
  it("the nearest reading on either side of at, and the place that it falls inside [§2.5, §4.5-lookup-elsewhere, §4.5-lookup-nearest, §4.5-lookup-place]", async () => {
    await mine.at(HOME, [20 * MINUTE])
    await mine.at(FAR, [10 * MINUTE])
    const at = (age: number, more = "") => lookUp(`at=${ago(age)}${more}`)
    expect((await at(20 * MINUTE)).json).toEqual({
      place: home(),
      matched: true,
      asOf: ago(20 * MINUTE),
      deltaSeconds: 0
    })
    expect((await at(15 * MINUTE + 1)).json).toMatchObject({ place: home(), deltaSeconds: 299 })
    expect(await disclosed()).toMatch(/^You were at Home on 1 March 2026 at \d\d:\d\d UTC$/)
    expect((await at(15 * MINUTE - 1)).json).toEqual({
      place: null,
      matched: false,
      asOf: ago(10 * MINUTE),
      deltaSeconds: 299
    })
    expect(await disclosed()).toMatch(/^You were at none of the places that it may ask about on 1 March 2026/)
  })

  it("of two readings equally near the earlier one [L9, answers-4]", async () => {
    await mine.at(FAR, [20 * MINUTE])
    await mine.at(HOME, [10 * MINUTE])
    expect((await lookUp(`at=${ago(15 * MINUTE)}`)).json).toMatchObject({ matched: false, asOf: ago(20 * MINUTE) })
  })

  it("no reading within tolerance_s: matched false, place and asOf null; 900 unless said, inclusive [§4.5-lookup-none, §4.5-lookup-place, §8-tolerance]", async () => {
    const nothing = { place: null, matched: false, asOf: null, deltaSeconds: null }
    await mine.at(HOME, [60 * MINUTE])
    expect((await lookUp(`at=${ago(45 * MINUTE)}`)).json).toMatchObject({ matched: true, deltaSeconds: 900 })
    expect((await lookUp(`at=${ago(45 * MINUTE - 1)}`)).json).toEqual(nothing)
    expect(await disclosed()).toMatch(/^It was not known where you were on 1 March 2026/)
    expect((await lookUp(`at=${ago(-20 * MINUTE)}&tolerance_s=4800`)).json).toMatchObject({ matched: true })
    expect((await lookUp(`at=${ago(60 * MINUTE)}&tolerance_s=0`)).json).toMatchObject({ matched: true })
    expect((await lookUp(`at=${ago(60 * MINUTE - 1)}&tolerance_s=0`)).json).toEqual(nothing)
  })

  it("literally: plain distance and no band, whenever the place was shared [L9, answers-4]", async () => {
    await mine.at(north(HOME, 145), [30 * MINUTE], 4_000)
    expect((await lookUp(`at=${ago(30 * MINUTE)}`)).json).toMatchObject({ place: home() })
    const barn = await place("Barn", north(HOME, 1_000))
    await mine.at(north(HOME, 1_000), [90 * MINUTE])
    expect((await lookUp(`at=${ago(90 * MINUTE)}`)).json).toMatchObject({ place: null, asOf: ago(90 * MINUTE) })
    await share([barn])
    expect((await lookUp(`at=${ago(90 * MINUTE)}`)).json).toMatchObject({ place: { label: "Barn" } })
    expect((await lookUp(`at=${ago(30 * MINUTE)}`)).json).toMatchObject({ place: null, asOf: ago(30 * MINUTE) })
  })

  it("with the circle that the place had then: moving it neither rewrites the past nor reveals it [answers-4]", async () => {
    await mine.at(HOME, [10 * MINUTE])
    await mine.at(FAR, [20 * MINUTE])
    await one.person.send("PATCH", `/v1/user/places/${one.placeId}`, FAR)
    expect((await lookUp(`at=${ago(10 * MINUTE)}`)).json).toMatchObject({ place: home() })
    expect((await lookUp(`at=${ago(20 * MINUTE)}`)).json).toMatchObject({ place: null })
    await mine.at(FAR, [0])
    expect((await lookUp(`at=${ago(0)}`)).json).toMatchObject({ place: home() })
  })

  it("an archived place keeps its label for what was before, and matches nothing after [answers-2]", async () => {
    await mine.at(HOME, [10 * MINUTE, -MINUTE])
    await one.person.send("DELETE", `/v1/user/places/${one.placeId}`)
    expect((await lookUp(`at=${ago(10 * MINUTE)}`)).json).toMatchObject({ place: home() })
    expect((await lookUp(`at=${ago(-MINUTE)}`)).json).toMatchObject({ place: null, asOf: ago(-MINUTE) })
  })
})

describe("parameters and scopes", () => {
  it.each(["Z", "%2B02:00", "+02:00", "+0200", "-0530", "+02"])(
    "a time with the zone %s is read (M11)",
    async (zone) => {
      expect((await get(`/v1/lookup/place?at=2026-03-01T12:00${zone}`)).status).toBe(200)
    }
  )

  it.each([
    ["/v1/answers/current-place?max_age_s=0", /^max_age_s must be a whole number from 1 to 86400$/],
    ["/v1/answers/current-place?max_age_s=86401", /^max_age_s must be a whole number from 1 to 86400$/],
    ["/v1/answers/current-place?max_age_s=1.5", /^max_age_s must be a whole number from 1 to 86400$/],
    ["/v1/answers/current-place?max_age_s=900&max_age_s=1", /^max_age_s must not be repeated$/],
    ["/v1/answers/current-place?max_age_s=900&max%5Fage%5Fs=900", /^max_age_s must not be repeated$/],
    ["/v1/lookup/place?at=2026-03-01T12:00:00Z&at=&tolerance_s=1", /^at must not be repeated$/],
    ["/v1/answers/current-place?max_age_s=0&x=1&x=2", /^max_age_s must be a whole number from 1 to 86400$/],
    ["/v1/answers/places/plc_x/presence?max_age_s=ten", /^max_age_s must be a whole number from 1 to 86400$/],
    ["/v1/lookup/place", /^at is missing$/],
    ["/v1/lookup/place?at=2026-03-01", /^at must be an ISO 8601 timestamp with a zone/],
    [
      "/v1/lookup/place?at=2026-03-01T12:00:00Z&tolerance_s=86401",
      /^tolerance_s must be a whole number from 0 to 86400$/
    ]
  ])("%s: 400 that names the field", async (path, message) => {
    const { json } = await get(path)
    expect(json).toEqual({
      statusCode: 400,
      error: "validation_failed",
      message: expect.stringMatching(message)
    })
  })

  it("every repeated parameter is named, beside the other faults", async () => {
    const visits = (await one.connect(["location.visits.read"])).access_token
    const { json } = await get("/v1/visits?limit=1&limit=1&cursor=a&cursor=b&from=yesterday", visits)
    expect(json).toMatchObject({
      error: "validation_failed",
      message: expect.arrayContaining([
        "limit must not be repeated",
        "cursor must not be repeated",
        expect.stringMatching(/^from must be an ISO 8601 timestamp/)
      ])
    })
  })

  it("each question needs its own scope: 403 missing_scope, before anything else is looked at [decisions §3]", async () => {
    const none = (await one.connect(["location.rules.place"])).access_token
    const answers = [
      await get("/v1/answers/current-place?max_age_s=0", none),
      await get(`/v1/answers/places/${one.placeId}/presence`, none),
      await get("/v1/lookup/place", none),
      await verify({ lat: 99 }, none)
    ]
    expect(answers.map(saying)).toEqual(answers.map(() => [403, "missing_scope"]))
    const named = answers.map(({ json }) => /The scope (\S+)/.exec((json as { message: string }).message)?.[1])
    expect(named).toEqual([CURRENT, CURRENT, LOOKUP, ZONE])
  })
})
