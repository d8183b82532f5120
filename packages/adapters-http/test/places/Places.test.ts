import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

let world: World
let person: Person
beforeAll(async () => {
  world = await startWorld()
  person = await world.person()
})
afterAll(() => world.close())

const HOME = { label: "Home", kind: "home", lat: 52.37, lon: 4.89 }

const create = async (body: object = HOME): Promise<{ readonly id: string }> =>
  (await person.send("POST", "/v1/user/places", body)).json as { id: string }

const refused = (status: number, error: string) => ({ status, json: { statusCode: status, error } })

describe("places [decisions §10]", () => {
  it("POST answers 201 with the place; the radius is 150 m when left out [L1]", async () => {
    const answer = await person.send("POST", "/v1/user/places", { ...HOME, label: "  Home  " })
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^plc_/),
      ...HOME,
      radius_m: 150,
      archived_at: null
    })
  })

  it("GET lists the user's own by label", async () => {
    const reader = await world.person()
    expect((await reader.get("/v1/user/places")).json).toEqual({ places: [], nextCursor: null })
    await reader.send("POST", "/v1/user/places", { ...HOME, label: "Work", kind: "work", radius_m: 10_000 })
    await reader.send("POST", "/v1/user/places", { ...HOME, label: "Gym", kind: "gym", radius_m: 100 })
    const answer = await reader.get("/v1/user/places")
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ places: [{ label: "Gym" }, { label: "Work" }], nextCursor: null })
  })

  it("POST names every field that is wrong at once [L1]", async () => {
    const answer = await person.send("POST", "/v1/user/places", {
      label: "",
      kind: "castle",
      lat: 90.1,
      lon: "east",
      radius_m: 99
    })
    expect(answer.status).toBe(400)
    const { error, message } = answer.json as { error: string; message: ReadonlyArray<string> }
    expect(error).toBe("validation_failed")
    expect(message.map((text) => text.split(" ")[0]).sort()).toEqual(["kind", "label", "lat", "lon", "radius_m"])
  })

  it("PATCH changes what it names and nothing else; null names nothing [places-2]", async () => {
    const { id } = await create({ ...HOME, radius_m: 200 })
    const answer = await person.send("PATCH", `/v1/user/places/${id}`, { label: "Mum's", lat: null })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ id, ...HOME, label: "Mum's", radius_m: 200, archived_at: null })
    const moved = await person.send("PATCH", `/v1/user/places/${id}`, { lat: -90, lon: 180, kind: "other" })
    expect(moved.json).toMatchObject({ label: "Mum's", kind: "other", lat: -90, lon: 180, radius_m: 200 })
  })

  it("DELETE archives: 204 without body, again 204, and the place is listed with the first time [places-3]", async () => {
    const { id } = await create()
    const first = await person.send("DELETE", `/v1/user/places/${id}`)
    expect([first.status, first.text]).toEqual([204, ""])
    const archivedAt = new Date(world.clock.now()).toISOString()
    world.clock.advance(60_000)
    expect((await person.send("DELETE", `/v1/user/places/${id}`)).status).toBe(204)
    const { json } = await person.get("/v1/user/places")
    expect((json as { places: ReadonlyArray<object> }).places).toContainEqual(
      expect.objectContaining({ id, archived_at: archivedAt })
    )
  })

  it("PATCH of an archived place: 409 [places-2]", async () => {
    const { id } = await create()
    await person.send("DELETE", `/v1/user/places/${id}`)
    const answer = await person.send("PATCH", `/v1/user/places/${id}`, { label: "Again" })
    expect(answer).toMatchObject(refused(409, "conflict"))
  })

  it.each(["plc_none", "%20", "a%2Fb", "x".repeat(200)])("an id that is nobody's: 404 (%s)", async (id) => {
    expect(await person.send("PATCH", `/v1/user/places/${id}`, {})).toMatchObject(refused(404, "not_found"))
    expect(await person.send("DELETE", `/v1/user/places/${id}`)).toMatchObject(refused(404, "not_found"))
  })

  it("another user's place: 404, and it stays [places-2]", async () => {
    const { id } = await create()
    const other = await world.person()
    expect(await other.send("PATCH", `/v1/user/places/${id}`, { label: "Mine" })).toMatchObject(
      refused(404, "not_found")
    )
    expect(await other.send("DELETE", `/v1/user/places/${id}`)).toMatchObject(refused(404, "not_found"))
    expect((await person.get("/v1/user/places")).text).toContain(id)
  })

  it("signed out: 401 before anything is read", async () => {
    const answer = await world.call("/v1/user/places", { method: "POST", ...jsonBody({ label: 5 }) })
    expect(answer).toMatchObject(refused(401, "not_signed_in"))
  })
})
