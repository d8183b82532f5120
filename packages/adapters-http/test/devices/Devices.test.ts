import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bearer, startWorld, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const NO_FIXES = jsonBody({ locations: [] })

const upload = (token: string) =>
  world.call("/v1/phone/locations", {
    method: "POST",
    ...NO_FIXES,
    headers: { ...NO_FIXES.headers, ...bearer(token).headers }
  })

describe("devices [decisions §10]", () => {
  it("POST answers 201 with the token, this once, and how to set the phone up", async () => {
    const person = await world.person()
    const answer = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    expect(answer.status).toBe(201)
    const body = answer.json as { id: string; token: string; setup: { qr_text: string; address: string } }
    expect(body).toEqual({
      id: expect.stringMatching(/^dev_/),
      name: "Pixel",
      format: "json",
      created_at: new Date(world.clock.now()).toISOString(),
      last_seen_at: null,
      status: "nothing_sent",
      stays_at_home: false,
      put_aside: [],
      token: expect.stringMatching(new RegExp(`^pa_dv\\.${person.account.id}\\.[a-z0-9]{52}$`)),
      setup: {
        address: `${world.url}/v1/phone/locations`,
        qr_text: expect.any(String),
        link: null,
        settings: expect.arrayContaining([{ name: "Token", value: body.token }]),
        steps: expect.arrayContaining([expect.any(String)]),
        tuning: expect.arrayContaining([{ name: "Heartbeat", value: "600 s", effect: expect.any(String) as string }])
      }
    })
    expect(JSON.parse(body.setup.qr_text)).toEqual({ url: body.setup.address, token: body.token, device_id: body.id })
    const list = await person.get("/v1/user/devices")
    expect(list.text).not.toContain(body.token)
    expect(list.json).toMatchObject({ devices: [{ id: body.id, name: "Pixel" }], nextCursor: null })
  })

  it("POST names every field that is wrong at once", async () => {
    const person = await world.person()
    const answer = await person.send("POST", "/v1/user/devices", { name: "x".repeat(61), format: "fax" })
    expect(answer.status).toBe(400)
    expect((answer.json as { message: ReadonlyArray<string> }).message).toHaveLength(2)
  })

  it("PATCH says whether a device stays at home, as the page does; 404 for another user's [devices-4]", async () => {
    const person = await world.person()
    const { json } = await person.send("POST", "/v1/user/devices", { name: "Tablet", format: "json" })
    const { id } = json as { id: string }
    const path = `/v1/user/devices/${id}`
    const answer = await person.send("PATCH", path, { stays_at_home: true })
    expect(answer).toMatchObject({ status: 200, json: { id, stays_at_home: true } })
    expect((await person.get("/v1/user/devices")).json).toMatchObject({ devices: [{ id, stays_at_home: true }] })
    expect((await person.send("PATCH", path, { stays_at_home: "yes" })).status).toBe(400)
    const other = await world.person()
    expect((await other.send("PATCH", path, { stays_at_home: true })).status).toBe(404)

    const page = (await person.get("/portal/devices")).text
    expect(page).toContain("Tablet stays at home")
    const token = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? ""
    const body = new URLSearchParams({ form_token: token, stays: "no" })
    await person.send("POST", `/portal/devices/${id}/home`, undefined, { body })
    expect((await person.get("/v1/user/devices")).json).toMatchObject({ devices: [{ id, stays_at_home: false }] })
  })

  it("DELETE: 204, its token opens nothing any more, and the second time 404 [devices-1]", async () => {
    const person = await world.person()
    const { json } = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    const { id, token } = json as { id: string; token: string }
    expect((await upload(token)).status).toBe(200)
    const first = await person.send("DELETE", `/v1/user/devices/${id}`)
    expect([first.status, first.text]).toEqual([204, ""])
    expect(await upload(token)).toMatchObject({ status: 401, json: { error: "invalid_token" } })
    expect((await person.get("/v1/user/devices")).json).toEqual({ devices: [], nextCursor: null })
    expect((await person.send("DELETE", `/v1/user/devices/${id}`)).status).toBe(404)
  })

  it("another user's device: 404, and it goes on", async () => {
    const person = await world.person()
    const { json } = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    const { id, token } = json as { id: string; token: string }
    expect((await (await world.person()).send("DELETE", `/v1/user/devices/${id}`)).status).toBe(404)
    expect((await upload(token)).status).toBe(200)
  })
})

describe("what a phone sent and could not be taken", () => {
  const HOUR = 3_600_000
  const sent = (token: string, aheadMs: number) => {
    const body = jsonBody({
      locations: [{ captured_at: new Date(world.clock.now() + aheadMs).toISOString(), lat: 52.37, lon: 4.89 }]
    })
    return world.call("/v1/phone/locations", {
      method: "POST",
      ...body,
      headers: { ...body.headers, ...bearer(token).headers }
    })
  }
  const devices = async (person: Awaited<ReturnType<World["person"]>>) =>
    ((await person.get("/v1/user/devices")).json as { readonly devices: ReadonlyArray<unknown> }).devices

  it("a phone whose clock is two hours ahead is not sending: page and JSON say that its clock is wrong [fixes-3]", async () => {
    const person = await world.person()
    const { json } = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    const { token } = json as { token: string }
    await sent(token, 2 * HOUR)
    await sent(token, 2 * HOUR)
    expect(await devices(person)).toMatchObject([
      {
        status: "put_aside",
        put_aside: [
          {
            reason: "future",
            count: 2,
            last_at: new Date(world.clock.now()).toISOString(),
            explanation: expect.stringContaining("5 minutes ahead")
          }
        ]
      }
    ])
    const page = (await person.get("/portal/devices")).text
    expect(page).toContain("Its clock is wrong")
    expect(page).toMatch(/2 readings, the last one .*5 minutes ahead/s)
    expect(page).not.toContain(">Sending<")

    await sent(token, 0)
    expect(await devices(person)).toMatchObject([{ status: "sending", put_aside: [{ reason: "future", count: 2 }] }])
    expect((await person.get("/portal/devices")).text).toMatch(/>Sending<.*2 readings/s)
  })
})
