import { BOUNDS } from "@place-access/adapters-http/fixes/UploadAnnotations"
import { MemoryDatabase } from "@place-access/domain/testing"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { bearer } from "../support/World.js"
import { jsonBody } from "../support/wire.js"
import { anyBody } from "./anyBody.js"
import { type Phone, phoneDesk, PLACE, saying, unavailable } from "./phoneDesk.js"
import * as Recorded from "./recorded.js"

const desk = phoneDesk()
const { aside, now, phone, post, stored, visits, whileRemoved, whileUnavailable } = desk

describe("POST /v1/phone/overland", () => {
  const OK = '{"result":"ok"}'
  const OK_AND_VISITS = '{"result":"ok","set":{"main":{"visit_tracking":true}}}'
  const send = (token: string, body: unknown) => post("/v1/phone/overland", jsonBody(body), bearer(token).headers)

  it("a batch is stored: fixes, visits beside them, actions and trips nowhere; again it changes nothing [devices-8]", async () => {
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

  it("visits are switched on while an app may read them and the phone has not reported one [devices-8-set]", async () => {
    const { token } = await phone("overland")
    const fix = { locations: [Recorded.overlandFix(now())] }
    const { app } = await desk.world.app(desk.person)
    await desk.world.connect(desk.person, app, { scopes: ["location.place.current"] })
    expect(saying(await send(token, fix))).toEqual([200, OK])
    const reader = (await desk.world.app(desk.person)).app
    await desk.world.connect(desk.person, reader, { scopes: ["location.visits.read"] })
    expect(saying(await send(token, fix))).toEqual([200, OK_AND_VISITS])
    expect(saying(await send(token, fix))).toEqual([200, OK_AND_VISITS])
    expect(saying(await send(token, { locations: [Recorded.overlandVisit(now(), null, now())] }))).toEqual([200, OK])
    expect(saying(await send(token, fix))).toEqual([200, OK])

    const other = await phone("overland")
    expect(saying(await send(other.token, { locations: [] }))).toEqual([200, OK_AND_VISITS])
    const { json } = await desk.person.get("/v1/user/connections")
    for (const { id } of (json as { connections: ReadonlyArray<{ id: string }> }).connections) {
      expect((await desk.person.send("DELETE", `/v1/user/connections/${id}`)).status).toBe(204)
    }
    expect(saying(await send(other.token, { locations: [] }))).toEqual([200, OK])
  })

  it("one bad point never blocks the queue: it is put aside, the others are stored [devices-7]", async () => {
    const { token } = await phone("overland")
    const bad = { ...Recorded.overlandFix(now()), geometry: { type: "Point", coordinates: [200, 91] } }
    const locations = [bad, Recorded.overlandFix(now(), { timestamp: "soon" }), null, Recorded.overlandFix(now())]
    expect((await send(token, { locations })).status).toBe(200)
    expect(await stored()).toHaveLength(1)
    expect((await aside()).map(({ reason }) => reason).sort()).toEqual(["out_of_range", "unreadable"])
  })

  it("a batch that is read in slices is stored like a short one", async () => {
    const { token } = await phone("overland")
    const locations = Array.from({ length: 1_500 }, (_, index) => Recorded.overlandFix(now() - index * 1_000))
    const others = [Recorded.overlandTrip(now()), Recorded.overlandVisit(now(), now() - 600_000, null)]
    const body = { locations: [...locations, ...others] }
    expect(JSON.stringify(body).length).toBeGreaterThan(300_000)
    expect((await send(token, body)).status).toBe(200)
    const { fixes } = await desk.world.run(MemoryDatabase)
    expect([...fixes.values()].filter(({ userId }) => userId === desk.person.account.id)).toHaveLength(1_500)
    expect(await aside()).toEqual([])
    const broken = { body: `${JSON.stringify(body).slice(0, -1)}]`, headers: { "content-type": "application/json" } }
    const answer = await post("/v1/phone/overland", broken, bearer(token).headers)
    expect([answer.status, answer.json]).toEqual([200, { error: expect.stringContaining("locations") }])
  })

  it("what is no batch is answered with words that the app shows, and with 200: only then it does [devices-7-shown]", async () => {
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

  it("a wrong token: 401, which the app shows, and it keeps the batch [devices-7-shown]", async () => {
    const { token } = await phone("overland")
    const body = { locations: [Recorded.overlandFix(now())] }
    expect(await send(`${token}x`, body)).toMatchObject({ status: 401, json: { error: "invalid_token" } })
    expect((await post(`/v1/phone/overland?token=${token}x`, jsonBody(body))).status).toBe(401)
    expect((await post(`/v1/phone/overland?id=${token}`, jsonBody(body))).status).toBe(401)
    expect((await post("/v1/phone/overland?token=", jsonBody(body))).status).toBe(401)
    expect(await stored()).toEqual([])
  })

  it.each(["token", "api_key"])(
    "a version without a field for a token has it in the address, as %s [devices-11]",
    async (name) => {
      const { token } = await phone("overland")
      const body = { locations: [Recorded.overlandFix(now())] }
      const address = `/v1/phone/overland?${name}=${token}`
      expect(saying(await post(address, jsonBody(body)))).toEqual([200, OK])
      expect(await stored()).toHaveLength(1)
      expect((await send(`${token}x`, body)).status).toBe(401)
      unavailable(
        await whileUnavailable(() => post(address, jsonBody({ locations: [Recorded.overlandFix(now() - 1)] })))
      )
      expect(desk.world.log.join("\n")).not.toContain("pa_dv")
    }
  )

  it("a time as the app's README has it, without a colon in its zone", async () => {
    const { token } = await phone("overland")
    const local = new Date(now() - 7 * 3_600_000).toISOString().slice(0, 19)
    const locations = [Recorded.overlandFix(now(), { timestamp: `${local}-0700` })]
    expect(saying(await send(token, { locations }))).toEqual([200, OK])
    expect((await stored()).map(({ capturedAt }) => capturedAt)).toEqual([now()])
  })

  it("a store that is away: 503, and nothing is half-stored [devices-7]", async () => {
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

  it("a location is stored and answered []; again it changes nothing [devices-7-owntracks]", async () => {
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

  it("a time that was counted from 2001 is a fix of now [devices-9]", async () => {
    const device = await phone("owntracks")
    expect((await send(device, Recorded.owntracksIos(0, { tst: now() / 1_000 - 978_307_200 }))).status).toBe(200)
    expect(await stored()).toMatchObject([{ capturedAt: now(), ...PLACE }])
  })

  it("every other message is answered [] too, and so is an empty body and what is no message [devices-7-owntracks]", async () => {
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

  it("a wrong password is 503, never 4xx: over those the app on iPhones throws its oldest reading away [devices-7-password]", async () => {
    const device = await phone("owntracks")
    const body = Recorded.owntracksIos(now())
    unavailable(await send({ ...device, token: `${device.token}x` }, body))
    unavailable(await post("/v1/phone/owntracks", jsonBody(body)))
    unavailable(await post(`/v1/phone/owntracks?id=${device.token}`, jsonBody(body)))
    unavailable(await post(`/v1/phone/owntracks?token=${device.token}x`, jsonBody(body)))
    await desk.person.send("DELETE", `/v1/user/devices/${device.id}`)
    unavailable(await send(device, body))
    unavailable(await post(`/v1/phone/owntracks?token=${device.token}`, jsonBody(body)))
    expect(await stored()).toEqual([])
  })

  it("the token is read from wherever an app can put it: password, user name, not encoded, the address [devices-9]", async () => {
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
    expect(desk.world.log.join("\n")).not.toContain("pa_dv")
  })

  it("Basic credentials that are not encoded, which OwnTracks never sends, are 401 when they open nothing [devices-9]", async () => {
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

  it("no body is answered with a 4xx, which would cost the phone its oldest reading: 200 [], and counted [devices-7]", async () => {
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
    expect((await desk.person.get("/v1/user/devices")).json).toMatchObject({
      devices: [{ status: "put_aside", put_aside: [{ reason: "unreadable", count: bodies.length }] }]
    })
    expect(saying(await send(device, Recorded.owntracksIos(now())))).toEqual([200, "[]"])
    expect(await stored()).toHaveLength(1)
  })

  it("a store that is away: 503, and the phone keeps what it has [devices-7-password]", async () => {
    const device = await phone("owntracks")
    unavailable(await whileUnavailable(() => send(device, Recorded.owntracksIos(now()))))
    expect(await stored()).toEqual([])
  })
})

describe("a phone that its owner removes during an upload gets the answer for a removed token, and nothing is stored", () => {
  it.each(["overland", "locations"])("%s: 401 [devices-1]", async (route) => {
    const device = await phone("overland")
    const locations =
      route === "overland" ? [Recorded.overlandFix(now())] : [{ ...PLACE, captured_at: new Date(now()).toISOString() }]
    const upload = () => post(`/v1/phone/${route}`, jsonBody({ locations }), bearer(device.token).headers)
    const refused = await whileRemoved(device, upload)
    expect(saying(refused)).toEqual(saying(await upload()))
    expect([refused.status, await stored()]).toEqual([401, []])
  })

  it("osmand: 401 [devices-1]", async () => {
    const device = await phone("osmand")
    const query = new URLSearchParams(Recorded.traccarQuery(device.token, now())).toString()
    const refused = await whileRemoved(device, () => desk.world.call(`/v1/phone/osmand?${query}`))
    expect([refused.status, await stored()]).toEqual([401, []])
  })

  it("owntracks: 503, so that the app keeps its readings [devices-1, devices-7-password]", async () => {
    const device = await phone("owntracks")
    const authorization = `Basic ${Buffer.from(`${device.id}:${device.token}`).toString("base64")}`
    const upload = () => post("/v1/phone/owntracks", jsonBody(Recorded.owntracksIos(now())), { authorization })
    const refused = await whileRemoved(device, upload)
    unavailable(refused)
    expect(saying(refused)).toEqual(saying(await upload()))
    expect(await stored()).toEqual([])
  })
})

describe("a body with more entries than a phone can have to say [fixes-8]", () => {
  const list = `[${Array.from({ length: BOUNDS.entries + 1 }, () => "1").join(",")}]`
  const TOO_MANY = { error: "payload_too_large", message: expect.stringContaining(`${BOUNDS.entries} entries`) }
  const send = (app: string, body: string, token?: string) =>
    post(
      `/v1/phone/${app}`,
      { body, headers: { "content-type": "application/json" } },
      token === undefined ? {} : bearer(token).headers
    )

  it("is refused before its entries are looked at", async () => {
    const { token } = await phone("overland")
    const answers = [
      await send("overland", `{"locations":${list}}`, token),
      await send("osmand", list, token),
      await send("osmand", `{"device_id":"x","location":${list}}`, token),
      await send("osmand", JSON.stringify("a&".repeat(BOUNDS.entries + 1)), token),
      await post(`/v1/phone/osmand?id=${token}`, {
        body: "a&".repeat(BOUNDS.entries + 1),
        headers: { "content-type": "application/x-www-form-urlencoded" }
      })
    ]
    for (const [index, { json, status }] of answers.entries()) {
      expect([index, status, json]).toEqual([index, 413, expect.objectContaining(TOO_MANY)])
    }
  })

  it("of OwnTracks is answered with 200 [] and counted, because a 4xx would cost the phone its oldest reading [devices-7]", async () => {
    const { token } = await phone("owntracks")
    expect(saying(await send("owntracks", list, token))).toEqual([200, "[]"])
    expect((await desk.person.get("/v1/user/devices")).json).toMatchObject({
      devices: [{ status: "put_aside", put_aside: [{ reason: "unreadable", count: 1 }] }]
    })
  })
})

describe("any JSON at all", () => {
  it("is 200 for a known device, and our log stays empty [devices-7]", async () => {
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
    expect(desk.world.log).toEqual([])
  })
})
