import { Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"
import { decode } from "../../src/fixes/OsmAnd.js"
import { bearer } from "../support/World.js"
import { jsonBody } from "../support/wire.js"
import { type Phone, phoneDesk, PLACE, saying, unavailable } from "./phoneDesk.js"
import * as Recorded from "./recorded.js"

const desk = phoneDesk()
const { aside, now, phone, post, stored, whileUnavailable } = desk

describe("GET and POST /v1/phone/osmand", () => {
  const EMPTY = [200, ""]
  const form = (fields: Readonly<Record<string, unknown>>): RequestInit => ({
    body: Recorded.form(fields)
  })

  it("a query, with GET and POST, a form and every JSON of Traccar Client: 200 and empty, once stored [devices-10]", async () => {
    const { token } = await phone("osmand")
    const query = new URLSearchParams(Recorded.traccarQuery(token, now())).toString()
    const ways = [
      () => desk.world.call(`/v1/phone/osmand?${query}`),
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

  it("of `location`, the first two parts count; further parts and commas are ignored", () => {
    const read = (location: string) => decode({}, Timestamp.make(now()))({ location }).map(({ lat, lon }) => [lat, lon])
    for (const more of ["", ",9", ",", ",".repeat(100_000)]) expect(read(`52.37,4.89${more}`)).toEqual([[52.37, 4.89]])
    expect(read(",")).toEqual([])
  })

  it("a query says who it is by any of the names or by a header, and a field that stands twice blocks nothing [devices-10]", async () => {
    const { token } = await phone("osmand")
    const place = (ago: number) => `lat=52.37&lon=4.89&timestamp=${now() - ago}`
    for (const [index, name] of ["id", "deviceid", "device_id"].entries()) {
      expect(saying(await desk.world.call(`/v1/phone/osmand?${name}=${token}&${place(index)}`))).toEqual(EMPTY)
    }
    expect(saying(await desk.world.call(`/v1/phone/osmand?${place(3)}`, bearer(token)))).toEqual(EMPTY)
    expect(saying(await desk.world.call(`/v1/phone/osmand?id=${token}&${place(4)}&id=x&lat=1&timestamp=2`))).toEqual(
      EMPTY
    )
    expect((await stored()).map(({ capturedAt }) => now() - capturedAt)).toEqual([0, 1, 2, 3, 4])
  })

  it("HTTP Basic, as the fields of GPSLogger for it send it, and what %ALL of GPSLogger becomes [devices-10-gpslogger]", async () => {
    const { token } = await phone("gpslogger")
    const all = "lat=52.37&lon=4.89&sat=9&desc=&alt=12.0&acc=14.5&dir=271.0&prov=gps&spd=10.0"
    const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` })
    const at = (ago: number) => ({
      timestamp: `timestamp=${(now() - ago) / 1_000}`,
      time: `time=${new Date(now() - ago).toISOString()}`,
      timeoffset: `time=${new Date(now() - ago + 7_200_000).toISOString().slice(0, 19)}+0200`
    })
    const ways = [
      () => desk.world.call(`/v1/phone/osmand?${all}&${at(0).timestamp}`, { headers: basic(`me:${token}`) }),
      () => desk.world.call(`/v1/phone/osmand?${all}&${at(1_000).time}`, { headers: basic(`${token}:`) }),
      () =>
        post("/v1/phone/osmand", { body: new URLSearchParams(`${all}&${at(2_000).timestamp}`) }, basic(`:${token}`)),
      () => desk.world.call(`/v1/phone/osmand?${all}&${at(3_000).timeoffset}`, { headers: basic(`me:${token}`) })
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
    const wrong = await desk.world.call(`/v1/phone/osmand?${all}`, { headers: basic(`me:${token}x`) })
    expect([wrong.status, wrong.json]).toEqual([401, expect.objectContaining({ error: "invalid_token" })])
  })

  it("a heartbeat without a place: 200, nothing stored [devices-10]", async () => {
    const { token } = await phone("osmand")
    const { coords: _, ...heartbeat } = Recorded.traccarClient(token, now()).location
    expect(saying(await post("/v1/phone/osmand", jsonBody({ device_id: token, location: heartbeat })))).toEqual(EMPTY)
    expect(saying(await desk.world.call(`/v1/phone/osmand?id=${token}&timestamp=1&batt=80`))).toEqual(EMPTY)
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

  it("a wrong identifier, or none: 401, which the app's log shows, and it keeps what it has [devices-10]", async () => {
    const { token } = await phone("osmand")
    for (const id of [`${token}x`, "12345678", ""]) {
      expect((await post("/v1/phone/osmand", jsonBody(Recorded.traccarClient(id, now())))).status).toBe(401)
      expect((await desk.world.call(`/v1/phone/osmand?id=${id}&lat=1&lon=1`)).status).toBe(401)
    }
    expect((await post("/v1/phone/osmand", jsonBody([]))).status).toBe(401)
    expect(await stored()).toEqual([])
  })

  it("a phone that neither header nor query names is not read further than 256 KiB [devices-10]", async () => {
    const { token } = await phone("osmand")
    const long = (more: object, bytes: number) => {
      const body = { ...Recorded.traccarSdk("", now()), id: undefined, ...more, filling: "" }
      return jsonBody({ ...body, filling: "x".repeat(bytes - JSON.stringify(body).length) })
    }
    const KIB = 1_024
    expect((await post("/v1/phone/osmand", long({ id: token }, 256 * KIB))).status).toBe(200)
    const answer = await post("/v1/phone/osmand", long({ id: token }, 256 * KIB + 1))
    expect([answer.status, answer.json]).toEqual([413, expect.objectContaining({ error: "payload_too_large" })])
    expect((await post("/v1/phone/osmand?id=12345678", long({ id: token }, 256 * KIB + 1))).status).toBe(413)
    expect((await post(`/v1/phone/osmand?id=${token}`, long({}, 300 * KIB))).status).toBe(200)
    expect((await post("/v1/phone/osmand", long({}, 300 * KIB), bearer(token).headers)).status).toBe(200)
  })

  it("a token of the query is checked before the body is looked at [devices-10]", async () => {
    const { token } = await phone("osmand")
    const body = { body: "x".repeat(8 * 1_048_576 + 1), headers: { "content-type": "application/json" } }
    expect((await post(`/v1/phone/osmand?id=${token}x`, body)).status).toBe(401)
    expect((await post(`/v1/phone/osmand?id=${token}`, body)).status).toBe(413)
    const other = jsonBody(Recorded.traccarSdk("12345678", now()))
    expect(saying(await post(`/v1/phone/osmand?id=${token}`, other))).toEqual(EMPTY)
    expect(saying(await post("/v1/phone/osmand?id=12345678", jsonBody(Recorded.traccarSdk(token, now()))))).toEqual(
      EMPTY
    )
    expect(await stored()).toHaveLength(1)
  })

  it("HEAD tells what GET would, and stores nothing", async () => {
    const { token } = await phone("osmand")
    const head = (id: string) => desk.world.call(`/v1/phone/osmand?id=${id}&lat=52.37&lon=4.89`, { method: "HEAD" })
    expect([(await head(token)).status, (await head(`${token}x`)).status]).toEqual([200, 401])
    expect([await stored(), await aside()]).toEqual([[], []])
  })

  it("a store that is away: 503; the log has neither the place nor the token of the address", async () => {
    const { token } = await phone("osmand")
    unavailable(
      await whileUnavailable(() => desk.world.call(`/v1/phone/osmand?id=${token}&lat=52.3712345&lon=4.8912345`))
    )
    expect(await stored()).toEqual([])
    expect(desk.world.log.join("\n")).not.toMatch(/12345|pa_dv/)
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
    return desk.world.call(new URL(fill("URL")).pathname, {
      method: fill("HTTP Method"),
      headers: Object.fromEntries(headers),
      body: fill("HTTP Body")
    })
  }

  it("every reading is stored, in metres a second; the token is not in the address [devices-10-gpslogger]", async () => {
    const device = await phone("gpslogger")
    expect(device.setup.address).toBe(`${desk.world.url}/v1/phone/osmand`)
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

  it("the whole file sent again every hour is stored once, and no line of it is an error [devices-10-gpslogger]", async () => {
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
    await desk.person.send("DELETE", `/v1/user/devices/${device.id}`)
    expect((await send(device, now())).status).toBe(401)
  })
})
