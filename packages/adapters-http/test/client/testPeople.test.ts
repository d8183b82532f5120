import { createClient } from "@place-access/adapters-http/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connected, type Connected, CURRENT, RULES } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"
import { answering, losingAnswer, type Meddle, optionsFor, runtimeOn } from "./support.js"

const HOME = { label: "Home", kind: "home", lat: 52.37, lon: 4.89 } as const

describe("test people of the client, against the real service over a socket [test-people-2]", () => {
  let world: World
  let app: Connected
  beforeAll(async () => {
    world = await startWorld()
    app = await connected(world)
  })
  afterAll(() => world.close())

  const clientOf = (meddle?: Meddle) => {
    const runtime = runtimeOn(world, meddle)
    return { client: createClient({ ...optionsFor(world, app), runtime }), runtime }
  }

  it("a made person's tokens are the client's connection, and a simulated trip fires a rule of it", async () => {
    const { client } = clientOf()
    const robin = await client.testPeople.create({ name: "Robin", places: [HOME], scopes: [RULES, CURRENT] })
    expect(await client.authorization.useTokens(robin.tokens)).toEqual({
      sub: robin.tokens.sub,
      scopes: robin.tokens.scope.split(" ")
    })
    const [home] = robin.places
    expect(home).toMatchObject(HOME)
    const rule = await client.placeRules.create({ type: "enter", place_id: home!.id })
    const trip = await client.testPeople.simulate(robin.id, { trip: "arrive", place_id: home!.id })
    expect(trip).toMatchObject({ readings: 2, accepted: 2, until: new Date(world.clock.now()).toISOString() })
    expect((await client.placeRules.evaluations(rule.id)).evaluations.map(({ decision }) => decision)).toContain(
      "fired"
    )
    expect(await client.answers.currentPlace()).toMatchObject({ state: "at_place", place: { id: home!.id } })

    const found = await client.testPeople.get(robin.id)
    expect(found).toMatchObject({ id: robin.id, grant_id: robin.grant_id, last_reading_at: trip.until })
    expect(await client.testPeople.list()).toEqual([found])
    await client.testPeople.remove(robin.id)
    expect(await client.testPeople.list()).toEqual([])
  })

  it("a person or a trip whose answer was lost is not sent again; a lost removal is, and succeeds", async () => {
    const lost = new Set<string>()
    const { client, runtime } = clientOf(({ method, path }, pass) => {
      const isFirst = !lost.has(`${method} ${path}`)
      lost.add(`${method} ${path}`)
      return isFirst ? losingAnswer(pass) : pass()
    })
    const sent = (wanted: string) => runtime.sent.filter(({ method }) => method === wanted).length
    await expect(client.testPeople.create({ places: [HOME] })).rejects.toMatchObject({ code: "network" })
    expect(sent("POST")).toBe(1)
    const [person] = await client.testPeople.list()
    const trip = { trip: "arrive", place_id: person!.places[0]!.id } as const
    await expect(client.testPeople.simulate(person!.id, trip)).rejects.toMatchObject({ code: "network" })
    expect(sent("POST")).toBe(2)
    await client.testPeople.remove(person!.id)
    expect(sent("DELETE")).toBe(2)
    expect(await client.testPeople.list()).toEqual([])
  })

  it("a 503 can follow the removal of a person: the 404 at the next attempt is a success", async () => {
    let removals = 0
    const { client } = clientOf(async ({ method }, pass) => {
      if (method !== "DELETE" || removals++ > 0) return pass()
      await (await pass()).text()
      return answering(503, "unavailable")
    })
    const { id } = await client.testPeople.create({ places: [HOME] })
    expect(await client.testPeople.remove(id)).toBeUndefined()
    expect(removals).toBe(2)
  })

  it("a wrong secret, an unknown person and a wrong body fail with the service's codes", async () => {
    const { client } = clientOf()
    const stranger = createClient({ ...optionsFor(world, app), clientSecret: "wrong", runtime: runtimeOn(world) })
    await expect(stranger.testPeople.list()).rejects.toMatchObject({ code: "invalid_client", status: 401 })
    await expect(client.testPeople.get("usr_nobody")).rejects.toMatchObject({ code: "not_found", status: 404 })
    await expect(client.testPeople.create({ places: [] })).rejects.toMatchObject({
      code: "validation_failed",
      field: "places"
    })
  })
})
