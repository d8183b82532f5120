import { FixStore } from "@place-access/domain/fixes"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect, FastCheck as fc } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"
import { type Answer, jsonBody } from "../support/wire.js"
import { anyBody } from "./anyBody.js"
import * as Recorded from "./recorded.js"

interface Phone {
  readonly id: string
  readonly token: string
  readonly setup: { readonly address: string; readonly settings: ReadonlyArray<{ name: string; value: string }> }
}

let world: World
let person: Person
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(async () => {
  person = await world.person()
  world.log.length = 0
})
afterAll(() => world.close())

const phone = async (format: string): Promise<Phone> =>
  (await person.send("POST", "/v1/user/devices", { name: "My phone", format })).json as Phone

const post = (path: string, init: RequestInit, headers: RequestInit["headers"] = {}): Promise<Answer> =>
  world.call(path, { method: "POST", ...init, headers: { ...(init.headers as object), ...(headers as object) } })

const stored = () => world.run(Effect.flatMap(FixStore, (store) => store.latest(person.account.id, 100)))
const aside = async () =>
  [...(await world.run(MemoryDatabase)).quarantined.values()].filter(({ userId }) => userId === person.account.id)
const visits = async () =>
  [...(await world.run(MemoryDatabase)).visitReports.values()].filter(({ userId }) => userId === person.account.id)

/** As long as it lasts, other uploads of the user always come between: what a phone then gets is a passing fault. */
const whileUnavailable = async (send: () => Promise<Answer>): Promise<Answer> => {
  const { streamVersions } = await world.run(MemoryDatabase)
  let version = 0
  streamVersions.get = () => version++
  try {
    return await send()
  } finally {
    Reflect.deleteProperty(streamVersions, "get")
  }
}

const PLACE = { lat: 52.37, lon: 4.89 }
const now = () => world.clock.now()
const saying = ({ status, text }: Answer) => [status, text]
const unavailable = (answer: Answer) => {
  expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([503, true])
}

describe("POST /v1/phone/overland", () => {
  const OK = '{"result":"ok"}'
  const OK_AND_VISITS = '{"result":"ok","set":{"main":{"visit_tracking":true}}}'
  const send = (token: string, body: unknown) => post("/v1/phone/overland", jsonBody(body), bearer(token).headers)

  it("a batch is stored: fixes, visits beside them, actions and trips nowhere; again it changes nothing", async () => {
    const { token } = await phone("overland")
    const locations = [
      Recorded.overlandFix(now() - 60_000),
      Recorded.overlandVisit(now(), now() - 600_000, null),
      Recorded.overlandAction(now()),
      Recorded.overlandTrip(now()),
      Recorded.overlandFix(now())
    ]
    for (let times = 0; times < 2; times++) {
      expect(saying(await send(token, { locations, current: Recorded.overlandFix(now() - 1_000) }))).toEqual([200, OK])
      expect((await stored()).map(({ capturedAt }) => capturedAt)).toEqual([now(), now() - 60_000])
      expect(await visits()).toMatchObject([{ arrival: now() - 600_000, departure: null, ...PLACE }])
      expect(await aside()).toEqual([])
    }
  })

  it("visits are switched on while an app may read them and the phone has not reported one", async () => {
    const { token } = await phone("overland")
    const fix = { locations: [Recorded.overlandFix(now())] }
    const { app } = await world.app(person)
    await world.connect(person, app, { scopes: ["location.place.current"] })
    expect(saying(await send(token, fix))).toEqual([200, OK])
    const reader = (await world.app(person)).app
    await world.connect(person, reader, { scopes: ["location.visits.read"] })
    expect(saying(await send(token, fix))).toEqual([200, OK_AND_VISITS])
    expect(saying(await send(token, fix))).toEqual([200, OK_AND_VISITS])
    expect(saying(await send(token, { locations: [Recorded.overlandVisit(now(), null, now())] }))).toEqual([200, OK])
    expect(saying(await send(token, fix))).toEqual([200, OK])

    const other = await phone("overland")
    expect(saying(await send(other.token, { locations: [] }))).toEqual([200, OK_AND_VISITS])
    const { json } = await person.get("/v1/user/connections")
    for (const { id } of (json as { connections: ReadonlyArray<{ id: string }> }).connections) {
      expect((await person.send("DELETE", `/v1/user/connections/${id}`)).status).toBe(204)
    }
    expect(saying(await send(other.token, { locations: [] }))).toEqual([200, OK])
  })

  it("one bad point never blocks the queue: it is put aside, the others are stored", async () => {
    const { token } = await phone("overland")
    const bad = { ...Recorded.overlandFix(now()), geometry: { type: "Point", coordinates: [200, 91] } }
    const locations = [bad, Recorded.overlandFix(now(), { timestamp: "soon" }), null, Recorded.overlandFix(now())]
    expect((await send(token, { locations })).status).toBe(200)
    expect(await stored()).toHaveLength(1)
    expect((await aside()).map(({ reason }) => reason).sort()).toEqual(["out_of_range", "unreadable"])
  })

  it("what is no batch is answered with words that the app shows, and with 200: only then it does", async () => {
    const { token } = await phone("overland")
    for (const body of [{}, [], Recorded.owntracksIos(now())]) {
      const answer = await send(token, body)
      expect([answer.status, answer.json]).toEqual([200, { error: expect.stringContaining("locations") }])
    }
    const broken = await post(
      "/v1/phone/overland",
      { body: '{"locations":[', headers: { "content-type": "application/json" } },
      bearer(token).headers
    )
    expect([broken.status, broken.json]).toEqual([200, { error: expect.any(String) }])
  })

  it("a wrong token: 401, which the app shows, and it keeps the batch", async () => {
    const { token } = await phone("overland")
    const body = { locations: [Recorded.overlandFix(now())] }
    expect(await send(`${token}x`, body)).toMatchObject({ status: 401, json: { error: "invalid_token" } })
    expect((await post(`/v1/phone/overland?token=${token}x`, jsonBody(body))).status).toBe(401)
    expect((await post(`/v1/phone/overland?id=${token}`, jsonBody(body))).status).toBe(401)
    expect((await post("/v1/phone/overland?token=", jsonBody(body))).status).toBe(401)
    expect(await stored()).toEqual([])
  })

  it.each(["token", "api_key"])("a version without a field for a token has it in the address, as %s", async (name) => {
    const { token } = await phone("overland")
    const body = { locations: [Recorded.overlandFix(now())] }
    const address = `/v1/phone/overland?${name}=${token}`
    expect(saying(await post(address, jsonBody(body)))).toEqual([200, OK])
    expect(await stored()).toHaveLength(1)
    expect((await send(`${token}x`, body)).status).toBe(401)
    unavailable(await whileUnavailable(() => post(address, jsonBody({ locations: [Recorded.overlandFix(now() - 1)] }))))
    expect(world.log.join("\n")).not.toContain("pa_dv")
  })

  it("a time as the app's README has it, without a colon in its zone", async () => {
    const { token } = await phone("overland")
    const local = new Date(now() - 7 * 3_600_000).toISOString().slice(0, 19)
    const locations = [Recorded.overlandFix(now(), { timestamp: `${local}-0700` })]
    expect(saying(await send(token, { locations }))).toEqual([200, OK])
    expect((await stored()).map(({ capturedAt }) => capturedAt)).toEqual([now()])
  })

  it("a store that is away: 503, and nothing is half-stored", async () => {
    const { token } = await phone("overland")
    const body = { locations: [Recorded.overlandFix(now())] }
    unavailable(await whileUnavailable(() => send(token, body)))
    expect(await stored()).toEqual([])
    expect((await send(token, body)).status).toBe(200)
    expect(await stored()).toHaveLength(1)
  })
})

describe("POST /v1/phone/owntracks", () => {
  const basic = (user: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  })
  const send = ({ id, token }: Phone, body: unknown) =>
    post("/v1/phone/owntracks", jsonBody(body), {
      ...basic(id, token),
      "content-type": "application/json; charset=utf-8",
      "x-limit-u": id,
      "x-limit-d": "phone"
    })

  it("a location is stored and answered []; again it changes nothing", async () => {
    const device = await phone("owntracks")
    for (let times = 0; times < 2; times++) {
      expect(saying(await send(device, Recorded.owntracksIos(now())))).toEqual([200, "[]"])
      expect(saying(await send(device, Recorded.owntracksAndroid(now() - 1_000)))).toEqual([200, "[]"])
      expect((await stored()).map(({ accuracyM, speedMps }) => [accuracyM, speedMps])).toEqual([
        [14, 10],
        [null, 0]
      ])
    }
  })

  it("a time that was counted from 2001 is a fix of now", async () => {
    const device = await phone("owntracks")
    expect((await send(device, Recorded.owntracksIos(0, { tst: now() / 1_000 - 978_307_200 }))).status).toBe(200)
    expect(await stored()).toMatchObject([{ capturedAt: now(), ...PLACE }])
  })

  it("every other message is answered [] too, and so is an empty body and what is no message", async () => {
    const device = await phone("owntracks")
    for (const [type, message] of Recorded.owntracksOthers(now())) {
      expect([type, ...saying(await send(device, message))]).toEqual([type, 200, "[]"])
    }
    for (const body of ["", "{", "null", "\u0000"]) {
      const answer = await post(
        "/v1/phone/owntracks",
        { body },
        { ...basic("me", device.token), "content-type": "application/json" }
      )
      expect(saying(answer)).toEqual([200, "[]"])
    }
    expect([await stored(), await aside()]).toEqual([[], []])
  })

  it("one bad point never blocks the queue", async () => {
    const device = await phone("owntracks")
    expect(saying(await send(device, Recorded.owntracksIos(now(), { lat: 91 })))).toEqual([200, "[]"])
    expect(saying(await send(device, Recorded.owntracksIos(now(), { tst: "soon" })))).toEqual([200, "[]"])
    expect(await aside()).toHaveLength(2)
  })

  it("a wrong password is 503, never 4xx: over those the app on iPhones throws its oldest reading away", async () => {
    const device = await phone("owntracks")
    const body = Recorded.owntracksIos(now())
    unavailable(await send({ ...device, token: `${device.token}x` }, body))
    unavailable(await post("/v1/phone/owntracks", jsonBody(body)))
    unavailable(await post(`/v1/phone/owntracks?id=${device.token}`, jsonBody(body)))
    unavailable(await post(`/v1/phone/owntracks?token=${device.token}x`, jsonBody(body)))
    await person.send("DELETE", `/v1/user/devices/${device.id}`)
    unavailable(await send(device, body))
    unavailable(await post(`/v1/phone/owntracks?token=${device.token}`, jsonBody(body)))
    expect(await stored()).toEqual([])
  })

  it("the token is read from wherever an app can put it: password, user name, not encoded, the address", async () => {
    const device = await phone("owntracks")
    const { id, token } = device
    const raw = (text: string) => ({ authorization: `Basic ${text}` })
    const ways: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
      ["", basic("anybody", token)],
      ["", basic(token, "")],
      ["", raw(`${token}:`)],
      ["", raw(`${id}:${token}`)],
      ["", raw(token)],
      ["", { authorization: `Bearer ${token}` }],
      [`?token=${token}`, {}],
      [`?api_key=${token}`, {}]
    ]
    for (const [index, [query, headers]] of ways.entries()) {
      const body = jsonBody(Recorded.owntracksIos(now() - index * 1_000))
      expect([index, ...saying(await post(`/v1/phone/owntracks${query}`, body, headers))]).toEqual([index, 200, "[]"])
    }
    expect(await stored()).toHaveLength(ways.length)
    expect(world.log.join("\n")).not.toContain("pa_dv")
  })

  it("Basic credentials that are not encoded, which OwnTracks never sends, are 401 when they open nothing", async () => {
    const { token } = await phone("owntracks")
    const body = Recorded.owntracksIos(now())
    for (const credentials of ["", "!", ":", "me:secret", `${token}x:`, "pa_dv.", "dXNlcg==", "\u00e9:x"]) {
      const answer = await post("/v1/phone/owntracks", jsonBody(body), { authorization: `Basic ${credentials}` })
      expect([credentials, answer.status]).toEqual([credentials, 401])
    }
    expect(await stored()).toEqual([])
  })

  it("no Authorization header at all ends in a fault: 401 when it is no user name and password, else 503", async () => {
    const body = jsonBody(Recorded.owntracksIos(now()))
    const text = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.tuple(fc.string(), fc.string()).map((pair) => Buffer.from(pair.join(":")).toString("base64")),
      fc.fullUnicodeString().map((plain) => Buffer.from(plain).toString("base64"))
    )
    const header = fc
      .tuple(fc.constantFrom("Basic ", "basic  ", "BASIC", "Basic"), text)
      .map(([scheme, credentials]) => (scheme + credentials).replaceAll(/[^\x20-\x7e]/g, "~").trim())
    await fc.assert(
      fc.asyncProperty(header, async (authorization) => {
        const { status } = await post("/v1/phone/owntracks", body, { authorization })
        const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization)?.[1]
        const bytes = Buffer.from(encoded ?? "", "base64")
        const isPair = bytes.includes(":") && Buffer.from(bytes.toString("utf8")).equals(bytes)
        expect(status).toBe(isPair || !/^basic(?: |$)/i.test(authorization) ? 503 : 401)
      }),
      { numRuns: 300 }
    )
  })

  it("no body is answered with a 4xx, which would cost the phone its oldest reading: 200 [], and counted", async () => {
    const device = await phone("owntracks")
    const bodies: ReadonlyArray<readonly [RequestInit["body"], RequestInit["headers"]]> = [
      ["x".repeat(8 * 1_048_576 + 1), {}],
      [JSON.stringify(Recorded.owntracksIos(now())), { "content-type": "text/plain" }],
      [JSON.stringify(Recorded.owntracksIos(now())), { "content-encoding": "gzip" }],
      [new Uint8Array([0xff, 0xfe]), { "content-type": "application/json" }]
    ]
    for (const [body, headers] of bodies) {
      const authorization = `Basic ${Buffer.from(`me:${device.token}`).toString("base64")}`
      const answer = await post("/v1/phone/owntracks", { body: body ?? null }, { authorization, ...headers })
      expect(saying(answer)).toEqual([200, "[]"])
    }
    expect(await stored()).toEqual([])
    expect((await person.get("/v1/user/devices")).json).toMatchObject({
      devices: [{ status: "put_aside", put_aside: [{ reason: "unreadable", count: bodies.length }] }]
    })
    expect(saying(await send(device, Recorded.owntracksIos(now())))).toEqual([200, "[]"])
    expect(await stored()).toHaveLength(1)
  })

  it("a store that is away: 503, and the phone keeps what it has", async () => {
    const device = await phone("owntracks")
    unavailable(await whileUnavailable(() => send(device, Recorded.owntracksIos(now()))))
    expect(await stored()).toEqual([])
  })
})

describe("GET and POST /v1/phone/osmand", () => {
  const EMPTY = [200, ""]
  const form = (fields: Readonly<Record<string, unknown>>): RequestInit => ({
    body: Recorded.form(fields)
  })

  it("a query, with GET and POST, a form and every JSON of Traccar Client: 200 and empty, once stored", async () => {
    const { token } = await phone("osmand")
    const query = new URLSearchParams(Recorded.traccarQuery(token, now())).toString()
    const ways = [
      () => world.call(`/v1/phone/osmand?${query}`),
      () => post(`/v1/phone/osmand?${query}`, {}),
      () => post("/v1/phone/osmand", form(Recorded.traccarSdk(token, now() - 1_000))),
      () => post("/v1/phone/osmand", jsonBody(Recorded.traccarClient(token, now() - 2_000))),
      () => post("/v1/phone/osmand", jsonBody(Recorded.traccarSdk(token, now() - 3_000))),
      () => post("/v1/phone/osmand", jsonBody([Recorded.traccarSdk(token, now() - 4_000)]))
    ]
    for (const [index, send] of ways.entries()) expect([index, ...saying(await send())]).toEqual([index, ...EMPTY])
    const fixes = await stored()
    expect(fixes.map(({ capturedAt }) => now() - capturedAt)).toEqual([0, 1_000, 2_000, 3_000, 4_000])
    for (const { speedMps, ...fix } of fixes) {
      expect(fix).toMatchObject({ ...PLACE, courseDeg: 271 })
      expect(speedMps).toBeCloseTo(10, 2)
    }
    expect(fixes[0]?.accuracyM).toBeNull()
  })

  it("a query says who it is by any of the names or by a header, and a field that stands twice blocks nothing", async () => {
    const { token } = await phone("osmand")
    const place = (ago: number) => `lat=52.37&lon=4.89&timestamp=${now() - ago}`
    for (const [index, name] of ["id", "deviceid", "device_id"].entries()) {
      expect(saying(await world.call(`/v1/phone/osmand?${name}=${token}&${place(index)}`))).toEqual(EMPTY)
    }
    expect(saying(await world.call(`/v1/phone/osmand?${place(3)}`, bearer(token)))).toEqual(EMPTY)
    expect(saying(await world.call(`/v1/phone/osmand?id=${token}&${place(4)}&id=x&lat=1&timestamp=2`))).toEqual(EMPTY)
    expect((await stored()).map(({ capturedAt }) => now() - capturedAt)).toEqual([0, 1, 2, 3, 4])
  })

  it("HTTP Basic, as the fields of GPSLogger for it send it, and what %ALL of GPSLogger becomes", async () => {
    const { token } = await phone("gpslogger")
    const all = "lat=52.37&lon=4.89&sat=9&desc=&alt=12.0&acc=14.5&dir=271.0&prov=gps&spd=10.0"
    const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` })
    const at = (ago: number) => ({
      timestamp: `timestamp=${(now() - ago) / 1_000}`,
      time: `time=${new Date(now() - ago).toISOString()}`,
      timeoffset: `time=${new Date(now() - ago + 7_200_000).toISOString().slice(0, 19)}+0200`
    })
    const ways = [
      () => world.call(`/v1/phone/osmand?${all}&${at(0).timestamp}`, { headers: basic(`me:${token}`) }),
      () => world.call(`/v1/phone/osmand?${all}&${at(1_000).time}`, { headers: basic(`${token}:`) }),
      () =>
        post("/v1/phone/osmand", { body: new URLSearchParams(`${all}&${at(2_000).timestamp}`) }, basic(`:${token}`)),
      () => world.call(`/v1/phone/osmand?${all}&${at(3_000).timeoffset}`, { headers: basic(`me:${token}`) })
    ]
    for (const [index, send] of ways.entries()) expect([index, ...saying(await send())]).toEqual([index, ...EMPTY])
    expect(await stored()).toMatchObject(
      ways.map((_, index) => ({
        capturedAt: now() - index * 1_000,
        ...PLACE,
        accuracyM: 14.5,
        altitudeM: 12,
        speedMps: 10,
        courseDeg: 271
      }))
    )
    const wrong = await world.call(`/v1/phone/osmand?${all}`, { headers: basic(`me:${token}x`) })
    expect([wrong.status, wrong.json]).toEqual([401, expect.objectContaining({ error: "invalid_token" })])
  })

  it("a heartbeat without a place: 200, nothing stored", async () => {
    const { token } = await phone("osmand")
    const { coords: _, ...heartbeat } = Recorded.traccarClient(token, now()).location
    expect(saying(await post("/v1/phone/osmand", jsonBody({ device_id: token, location: heartbeat })))).toEqual(EMPTY)
    expect(saying(await world.call(`/v1/phone/osmand?id=${token}&timestamp=1&batt=80`))).toEqual(EMPTY)
    expect([await stored(), await aside()]).toEqual([[], []])
  })

  it("one bad point never blocks the queue", async () => {
    const { token } = await phone("osmand")
    for (const wrong of [{ lat: "north" }, { lat: "91" }, { timestamp: "noon" }, { accuracy: "good" }]) {
      const answer = await post("/v1/phone/osmand", form({ ...Recorded.traccarSdk(token, now()), ...wrong }))
      expect([wrong, ...saying(answer)]).toEqual([wrong, ...EMPTY])
    }
    expect([(await stored()).length, (await aside()).length]).toEqual([1, 3])
  })

  it("a wrong identifier, or none: 401, which the app's log shows, and it keeps what it has", async () => {
    const { token } = await phone("osmand")
    for (const id of [`${token}x`, "12345678", ""]) {
      expect((await post("/v1/phone/osmand", jsonBody(Recorded.traccarClient(id, now())))).status).toBe(401)
      expect((await world.call(`/v1/phone/osmand?id=${id}&lat=1&lon=1`)).status).toBe(401)
    }
    expect((await post("/v1/phone/osmand", jsonBody([]))).status).toBe(401)
    expect(await stored()).toEqual([])
  })

  it("a store that is away: 503; the log has neither the place nor the token of the address", async () => {
    const { token } = await phone("osmand")
    unavailable(await whileUnavailable(() => world.call(`/v1/phone/osmand?id=${token}&lat=52.3712345&lon=4.8912345`)))
    expect(await stored()).toEqual([])
    expect(world.log.join("\n")).not.toMatch(/12345|pa_dv/)
  })
})

describe("GPSLogger, set up as the portal says", () => {
  const readings = (count: number) => Array.from({ length: count }, (_, index) => now() - index * 30_000)
  const send = async ({ setup }: Phone, at: number, more?: Readonly<Record<string, string>>) => {
    const fill = (name: string) =>
      Recorded.gpsLoggerFills(setup.settings.find((one) => one.name === name)?.value ?? "", at, more)
    const headers = fill("HTTP Headers")
      .split("\n")
      .map((line) => line.split(": ") as [string, string])
    return world.call(new URL(fill("URL")).pathname, {
      method: fill("HTTP Method"),
      headers: Object.fromEntries(headers),
      body: fill("HTTP Body")
    })
  }

  it("every reading is stored, in metres a second; the token is not in the address", async () => {
    const device = await phone("gpslogger")
    expect(device.setup.address).toBe(`${world.url}/v1/phone/osmand`)
    for (const at of readings(3)) expect(saying(await send(device, at))).toEqual([200, ""])
    expect(await stored()).toMatchObject(
      readings(3).map((capturedAt) => ({
        capturedAt,
        ...PLACE,
        accuracyM: 14.5,
        altitudeM: 12,
        speedMps: 10,
        courseDeg: 271
      }))
    )
  })

  it("the whole file sent again every hour is stored once, and no line of it is an error", async () => {
    const device = await phone("gpslogger")
    for (let hour = 0; hour < 3; hour++) {
      for (const at of readings(5)) expect(saying(await send(device, at))).toEqual([200, ""])
    }
    expect([(await stored()).length, (await aside()).length]).toEqual([5, 0])
  })

  it("a line that no number can be read from stops none of the lines after it", async () => {
    const device = await phone("gpslogger")
    expect(saying(await send(device, now(), { acc: "NaN", spd: "1.0E-4", alt: "" }))).toEqual([200, ""])
    expect(saying(await send(device, now(), { lat: "", lon: "" }))).toEqual([200, ""])
    expect(await stored()).toMatchObject([{ accuracyM: null, altitudeM: null, speedMps: 0.0001 }])
  })

  it("a removed phone: 401, which the app shows and tries again", async () => {
    const device = await phone("gpslogger")
    await person.send("DELETE", `/v1/user/devices/${device.id}`)
    expect((await send(device, now())).status).toBe(401)
  })
})

describe("any JSON at all", () => {
  it("is 200 for whoever is known, and our log stays empty", async () => {
    const { token } = await phone("overland")
    const known = bearer(token).headers
    await fc.assert(
      fc.asyncProperty(anyBody(now()), async (body) => {
        for (const path of ["overland", "owntracks", "osmand"]) {
          const answer = await post(`/v1/phone/${path}`, jsonBody(body), known)
          expect([path, answer.status, answer.text.slice(0, 40)]).toEqual([path, 200, expect.any(String)])
        }
      }),
      { numRuns: 60 }
    )
    expect(world.log).toEqual([])
  })
})
