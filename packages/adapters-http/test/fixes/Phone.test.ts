import { FixStore } from "@place-access/domain/fixes"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

let world: World
let person: Person
let token: string
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(async () => {
  person = await world.person()
  const { json } = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
  token = (json as { token: string }).token
})
afterAll(() => world.close())

const upload = (body: unknown, init: RequestInit = bearer(token)) => {
  const json = jsonBody(body)
  return world.call("/v1/phone/locations", { method: "POST", ...json, headers: { ...json.headers, ...init.headers } })
}

const ago = (millis: number): string => new Date(world.clock.now() - millis).toISOString()
const at = (millis: number, more: object = {}) => ({ captured_at: ago(millis), lat: 52.37, lon: 4.89, ...more })

const GOOD = { captured_at: "2026-03-01T11:59:00.000Z", lat: 52.37, lon: 4.89 }

const stored = () => world.run(Effect.flatMap(FixStore, (store) => store.latest(person.account.id, 100)))

describe("POST /v1/phone/locations [decisions §10, L3, L4]", () => {
  it("answers how many were stored; sent again it changes nothing and is answered 200 again [M4]", async () => {
    const locations = [
      at(3_000, { accuracy_m: 10, altitude_m: -3, speed_mps: 1.5, course_deg: 90 }),
      at(2_000),
      at(1_000)
    ]
    const first = await upload({ locations })
    expect([first.status, first.json]).toEqual([200, { accepted: 3, duplicates: 0, quarantined: 0 }])
    const repeated = await upload({ locations: [...locations, at(0), at(0)] })
    expect([repeated.status, repeated.json]).toEqual([200, { accepted: 1, duplicates: 4, quarantined: 0 }])
    expect(await stored()).toHaveLength(4)
    expect((await stored()).at(-1)).toMatchObject({ accuracyM: 10, altitudeM: -3, speedMps: 1.5, courseDeg: 90 })
  })

  it("of a person's phones at once: each upload has its own answer, and its readings belong to its own phone [fixes-10]", async () => {
    const made = []
    for (const name of ["Tablet", "Watch", "Car"]) {
      made.push((await person.send("POST", "/v1/user/devices", { name, format: "json" })).json)
    }
    const phones = made as ReadonlyArray<{ readonly token: string; readonly id: string }>
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const phone = phones[index % 3]
        // All phones send the same eight readings. The car also sends one reading that is impossible.
        const locations = [at(1_000 * (1 + Math.floor(index / 3))), ...(index % 3 === 2 ? [at(0, { lat: 95 })] : [])]
        const { json, status } = await upload({ locations }, bearer(phone?.token ?? ""))
        return [status, json]
      })
    )
    expect(answers).toEqual(
      Array.from({ length: 24 }, (_, index) => [
        200,
        { accepted: 1, duplicates: 0, quarantined: index % 3 === 2 ? 1 : 0 }
      ])
    )
    const devices = (await stored()).map(({ deviceId }) => deviceId).sort()
    expect(devices).toEqual(phones.flatMap(({ id }) => Array.from({ length: 8 }, () => id)).sort())
  })

  it("lists of 160,000 entries at a time; more are 413 before any is looked at", async () => {
    const sent = async (body: string) => {
      const headers = { "content-type": "application/json", ...bearer(token).headers }
      const { json, status } = await world.call("/v1/phone/locations", { method: "POST", body, headers })
      return [status, (json as { readonly error?: string }).error]
    }
    const list = (count: number, entry: string) => `[${Array.from({ length: count }, () => entry).join(",")}]`
    expect(await sent(`{"locations":[],"unknown":${list(160_000, "0")}}`)).toEqual([200, undefined])
    expect(await sent(`{"locations":[],"unknown":${list(160_001, "0")}}`)).toEqual([413, "payload_too_large"])
    expect(await sent(`{"locations":${list(2_500_000, "{}")}}`)).toEqual([413, "payload_too_large"])
  })

  it("an object with very many members is 413 too; the members of readings are not counted [fixes-8]", async () => {
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [index, 1]))
    const cases: ReadonlyArray<readonly [number, ReadonlyArray<unknown>]> = [
      [200, [members(80_000), members(80_000)]],
      [413, [members(80_000), members(80_200)]],
      [200, Array.from({ length: 4_000 }, () => members(60))]
    ]
    const expected = cases.map(([status]) => status)
    // The test makes all bodies before it sends the first body. Making a large body takes so long that the server would
    // close a connection that waits for the body.
    const bodies = cases.map(([, unknown]) => jsonBody({ locations: [], unknown }))
    const found: Array<number> = []
    for (const body of bodies) {
      const headers = { ...body.headers, ...bearer(token).headers }
      found.push((await world.call("/v1/phone/locations", { method: "POST", ...body, headers })).status)
    }
    expect(found).toEqual(expected)
  })

  it("numbers that cannot be are put aside and counted, and the rest is stored [fixes-1]", async () => {
    const text = JSON.stringify({
      locations: [
        at(0),
        at(0, { lat: 91 }),
        at(0, { lon: -181 }),
        at(0, { lat: 0, lon: 0 }),
        at(-300_001),
        at(-300_000)
      ]
    }).replace('"lat":91', '"lat":1e999')
    const answer = await world.call("/v1/phone/locations", {
      method: "POST",
      body: text,
      headers: { "content-type": "application/json", ...bearer(token).headers }
    })
    expect([answer.status, answer.json]).toEqual([200, { accepted: 2, duplicates: 0, quarantined: 4 }])
  })

  it("accuracy that says nothing is taken as unknown, null as left out", async () => {
    await upload({ locations: [at(2, { accuracy_m: 0 }), at(1, { accuracy_m: -1 }), at(0, { accuracy_m: null })] })
    expect((await stored()).map((fix) => fix.accuracyM)).toEqual([null, null, null])
  })

  it("visits are taken beside the locations, and counted only when they cannot be [fixes-5]", async () => {
    const visit = { arrival: ago(60_000), departure: null, lat: 52.37, lon: 4.89, accuracy_m: 30 }
    const answer = await upload({
      locations: [],
      visits: [visit, { ...visit, departure: ago(0) }, { ...visit, arrival: null }]
    })
    expect([answer.status, answer.json]).toEqual([200, { accepted: 0, duplicates: 0, quarantined: 1 }])
    expect(await stored()).toEqual([])
  })

  it.each([
    ["no locations", {}, /locations/],
    ["locations that are no list", { locations: {} }, /locations/],
    ["visits that are no list", { locations: [], visits: {} }, /visits/]
  ])("what is malformed is refused whole: %s", async (_, body, message) => {
    const answer = await upload(body)
    expect(answer).toMatchObject({ status: 400, json: { error: "validation_failed" } })
    expect(answer.text).toMatch(message)
    expect(await stored()).toEqual([])
  })

  it("one bad reading does not refuse its batch: what cannot be read is put aside, the others are taken [fixes-1, devices-7]", async () => {
    const bad = [
      { lat: 1, lon: 1 },
      { ...GOOD, captured_at: "2026-03-01T12:00:00" },
      { ...GOOD, captured_at: 1_772_366_340 },
      { ...GOOD, captured_at: null },
      { ...GOOD, lat: "north" },
      { ...GOOD, lat: undefined },
      null,
      7,
      []
    ]
    const visits = [{ arrival: "soon", lat: 1, lon: 1 }, { arrival: ago(0), lat: 1 }, "visit"]
    const answer = await upload({ locations: [...bad, { ...GOOD, accuracy_m: "good" }], visits })
    expect([answer.status, answer.json]).toEqual([200, { accepted: 1, duplicates: 0, quarantined: 12 }])
    expect(await stored()).toMatchObject([{ lat: GOOD.lat, lon: GOOD.lon, accuracyM: null }])
    const { json } = await person.get("/v1/user/devices")
    expect(json).toMatchObject({
      devices: [{ put_aside: [{ reason: "unreadable", count: 12, last_at: ago(0) }] }]
    })
  })

  it("without a device token: 401 before the body is looked at", async () => {
    for (const init of [{}, bearer("nonsense"), bearer(`${token}x`)]) {
      expect(await upload("no object", init)).toMatchObject({ status: 401, json: { error: "invalid_token" } })
    }
  })

  it("an access token is no device token", async () => {
    const { app } = await world.app(person)
    const tokens = await world.connect(person, app, { scopes: ["location.rules.place"] })
    expect((await upload({ locations: [] }, bearer(tokens.accessToken))).status).toBe(401)
  })

  it("an upload goes by the time of its arrival: the device was seen then", async () => {
    await upload({ locations: [at(600_000)] })
    const { json } = await person.get("/v1/user/devices")
    expect(json).toMatchObject({ devices: [{ last_seen_at: ago(0), status: "sending", put_aside: [] }] })
  })
})
