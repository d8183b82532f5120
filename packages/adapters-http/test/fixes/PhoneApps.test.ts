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

  it("until the phone has reported a visit, the answer switches visits on", async () => {
    const { token } = await phone("overland")
    const fix = { locations: [Recorded.overlandFix(now())] }
    expect(saying(await send(token, fix))).toEqual([200, OK_AND_VISITS])
    expect(saying(await send(token, fix))).toEqual([200, OK_AND_VISITS])
    expect(saying(await send(token, { locations: [Recorded.overlandVisit(now(), null, now())] }))).toEqual([200, OK])
    expect(saying(await send(token, fix))).toEqual([200, OK])
    const other = await phone("overland")
    expect(saying(await send(other.token, { locations: [] }))).toEqual([200, OK_AND_VISITS])
  })

  it("one bad point never blocks the queue: it is put aside, the others are stored", async () => {
    const { token } = await phone("overland")
    const bad = { ...Recorded.overlandFix(now()), geometry: { type: "Point", coordinates: [200, 91] } }
    const locations = [bad, Recorded.overlandFix(now(), { timestamp: "soon" }), null, Recorded.overlandFix(now())]
    expect((await send(token, { locations })).status).toBe(200)
    expect(await stored()).toHaveLength(1)
    expect((await aside()).map(({ reason }) => reason).sort()).toEqual(["out_of_range", "too_old"])
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
    expect((await post(`/v1/phone/overland?token=${token}`, jsonBody(body))).status).toBe(401)
    expect(await stored()).toEqual([])
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
    unavailable(await post("/v1/phone/owntracks", jsonBody(body), { authorization: "Basic !" }))
    unavailable(await post(`/v1/phone/owntracks?id=${device.token}`, jsonBody(body)))
    await person.send("DELETE", `/v1/user/devices/${device.id}`)
    unavailable(await send(device, body))
    expect(await stored()).toEqual([])
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
