import { Scope } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const CANARY = "canary-5f1d"
const NEW = {
  key: "find_friends",
  description: "Shows your friends where you are",
  scopes: ["location.lookup", "location.latest.read", "location.lookup"],
  expected_daily_volume: 24
}

const appOf = async (person: Person, scopes: ReadonlyArray<Scope.Scope> = Scope.all) => {
  const { app } = await world.app(person, { declaredScopes: scopes })
  return `/v1/developer/apps/${app.id}/purposes`
}

describe("POST and GET /v1/developer/apps/{app_id}/purposes", () => {
  it("201 with a draft (Spec §2.4), which is listed [§4.7-purposes]", async () => {
    const person = await world.person()
    const path = await appOf(person)
    const answer = await person.send("POST", path, { ...NEW, status: "approved" })
    const expected = {
      id: expect.stringMatching(/^pps_/),
      key: "find_friends",
      description: "Shows your friends where you are",
      scopes: ["location.latest.read", "location.lookup"],
      expected_daily_volume: 24,
      status: "draft",
      review_note: null,
      submitted_at: null,
      approved: null,
      archived_at: null,
      created_at: "2026-03-01T12:00:00.000Z"
    }
    expect([answer.status, answer.json]).toEqual([201, expected])
    expect((await person.get(path)).json).toEqual({ purposes: [answer.json], nextCursor: null })
  })

  it("a key stays with the app: 409 the second time; another app can have it", async () => {
    const person = await world.person()
    const [path, other] = [await appOf(person), await appOf(person)]
    expect((await person.send("POST", path, NEW)).status).toBe(201)
    const repeated = await person.send("POST", path, { ...NEW, description: "Something else altogether" })
    expect([repeated.status, repeated.json]).toEqual([409, expect.objectContaining({ error: "conflict" })])
    expect((await person.send("POST", other, NEW)).status).toBe(201)
  })

  it("every problem at once, by field, without the values", async () => {
    const person = await world.person()
    const path = await appOf(person)
    const answer = await person.send("POST", path, {
      key: CANARY,
      description: "short",
      scopes: ["location.place.current", CANARY],
      expected_daily_volume: 10_001
    })
    expect(answer.status).toBe(400)
    const { message } = answer.json as { readonly message: ReadonlyArray<string> }
    expect(message.map((text) => text.split(" ")[0])).toEqual([
      "key",
      "description",
      "scopes[0]",
      "scopes[1]",
      "expected_daily_volume"
    ])
    expect(answer.text).not.toContain(CANARY)
    expect((await person.get(path)).json).toEqual({ purposes: [], nextCursor: null })
  })

  it.each([
    ["no scopes", { scopes: [] }, "scopes must name at least one sensitive scope"],
    ["a volume of 0", { expected_daily_volume: 0 }, "expected_daily_volume must be a whole number from 1 to 10000"],
    ["half a call", { expected_daily_volume: 1.5 }, /^expected_daily_volume must be a whole number/],
    ["9 characters", { description: "123456789" }, "description must be at least 10 characters"],
    ["201 characters", { description: "x".repeat(201) }, "description must be at most 200 characters"],
    ["no key", { key: undefined }, "key is missing"]
  ])("%s: 400 validation_failed", async (_, change, message) => {
    const person = await world.person()
    const answer = await person.send("POST", await appOf(person), { ...NEW, ...change })
    expect(answer.json).toMatchObject({ error: "validation_failed", message: expect.stringMatching(message) })
  })

  it("sensitive scopes that the app does not declare are named by their place [purposes-2]", async () => {
    const person = await world.person()
    const path = await appOf(person, ["location.lookup"])
    const answer = await person.send("POST", path, NEW)
    expect(answer.json).toEqual({
      statusCode: 400,
      error: "validation_failed",
      message: "scopes[1] is not one of the scopes that the app declares"
    })
  })

  it("what a sandbox app has just made can be asked for at consent; without it the scope cannot [§3.2-create, decisions §3]", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const ask = () => world.connect(person, app, { scopes: ["location.lookup"] })
    await expect(ask()).rejects.toThrow("invalid_scope")
    await person.send("POST", `/v1/developer/apps/${app.id}/purposes`, NEW)
    expect((await ask()).scopes).toContain("location.lookup")
  })

  it("somebody else's app is 404, nobody signed in is 401, another site's page is 403", async () => {
    const [owner, stranger] = [await world.person(), await world.person({ roles: ["admin"] })]
    const path = await appOf(owner)
    expect((await stranger.get(path)).status).toBe(404)
    expect((await stranger.send("POST", path, NEW)).status).toBe(404)
    expect((await world.call(path)).status).toBe(401)
    const foreign = await owner.send("POST", path, NEW, { headers: { origin: "https://evil.example" } })
    expect(foreign.status).toBe(403)
    expect((await owner.get(path)).json).toEqual({ purposes: [], nextCursor: null })
  })
})

describe("PATCH, DELETE and submit of /v1/developer/apps/{app_id}/purposes/{purpose_id} [§3.2]", () => {
  const made = async () => {
    const person = await world.person()
    const path = await appOf(person)
    const { json } = await person.send("POST", path, NEW)
    const purpose = json as { readonly id: string }
    return { person, path, purpose, at: `${path}/${purpose.id}` }
  }

  it("PATCH changes what is sent and nothing else; key, status and other fields that are sent along are ignored [§4.7-purposes]", async () => {
    const { at, path, person, purpose } = await made()
    const answer = await person.send("PATCH", at, {
      expected_daily_volume: 25,
      key: "other_key",
      status: "approved",
      approved: NEW
    })
    const changed = { ...purpose, expected_daily_volume: 25 }
    expect([answer.status, answer.json]).toEqual([200, changed])
    expect((await person.send("PATCH", at, {})).json).toEqual(changed)
    expect((await person.send("PATCH", at, { description: null, scopes: ["location.lookup"] })).json).toEqual({
      ...changed,
      scopes: ["location.lookup"]
    })
    expect((await person.get(path)).json).toMatchObject({ purposes: [{ scopes: ["location.lookup"] }] })
  })

  it("PATCH: every problem at once, by field, without the values", async () => {
    const { at, person, purpose, path } = await made()
    const answer = await person.send("PATCH", at, {
      description: CANARY,
      scopes: ["location.place.current"],
      expected_daily_volume: 0
    })
    expect(answer.status).toBe(400)
    const { message } = answer.json as { readonly message: ReadonlyArray<string> }
    expect(message.map((text) => text.split(" ")[0])).toEqual(["scopes[0]", "expected_daily_volume"])
    expect(answer.text).not.toContain(CANARY)
    expect((await person.get(path)).json).toMatchObject({ purposes: [purpose] })
  })

  it("PATCH: scopes that the app does not declare are named by their place", async () => {
    const person = await world.person()
    const path = await appOf(person, ["location.lookup"])
    const { json } = await person.send("POST", path, { ...NEW, scopes: ["location.lookup"] })
    const answer = await person.send("PATCH", `${path}/${(json as { readonly id: string }).id}`, {
      scopes: ["location.lookup", "location.latest.read"]
    })
    expect(answer.json).toMatchObject({ message: "scopes[1] is not one of the scopes that the app declares" })
  })

  it("submit: 200 in review, since now; again 409 [§3.2-submit, §4.7-purposes-submit]", async () => {
    const { at, person, purpose } = await made()
    const answer = await person.send("POST", `${at}/submit`)
    expect([answer.status, answer.json]).toEqual([
      200,
      { ...purpose, status: "in_review", submitted_at: "2026-03-01T12:00:00.000Z" }
    ])
    expect((await person.send("POST", `${at}/submit`)).json).toMatchObject({ statusCode: 409, error: "conflict" })
  })

  it("DELETE archives: 204 each time; it stays listed with the status archived, is used by nobody, and every further step is 409 [§3.2-archive, §4.7-purposes]", async () => {
    const { at, path, person, purpose } = await made()
    const removed = await person.send("DELETE", at)
    expect([removed.status, removed.text]).toEqual([204, ""])
    expect((await person.send("DELETE", at)).status).toBe(204)
    const archived = { ...purpose, status: "archived", archived_at: "2026-03-01T12:00:00.000Z" }
    expect((await person.get(path)).json).toEqual({ purposes: [archived], nextCursor: null })
    expect((await person.send("PATCH", at, { expected_daily_volume: 1 })).status).toBe(409)
    expect((await person.send("POST", `${at}/submit`)).status).toBe(409)
    expect((await person.send("POST", path, NEW)).status).toBe(409)
  })

  it("an unknown purpose, an impossible id and another app's are one and the same 404", async () => {
    const { at, path, person } = await made()
    const other = await appOf(person)
    const stolen = at.replace(path, other)
    for (const one of [`${path}/pps_unknown`, `${path}/%20`, stolen]) {
      for (const answer of [
        await person.send("PATCH", one, { expected_daily_volume: 1 }),
        await person.send("POST", `${one}/submit`),
        await person.send("DELETE", one)
      ]) {
        expect([answer.status, answer.json]).toEqual([
          404,
          { statusCode: 404, error: "not_found", message: "No such purpose" }
        ])
      }
    }
  })
})
