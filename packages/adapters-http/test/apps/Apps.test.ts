import { Scope } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const CANARY = "canary-5f1d"
const APPS = "/v1/developer/apps"
const NEW = { name: "Coffee Finder", description: "Finds good coffee near you.", scopes: ["location.place.current"] }

const create = async (person: Person, overrides: Record<string, unknown> = {}) => {
  const answer = await person.send("POST", APPS, { ...NEW, ...overrides })
  expect(answer.status).toBe(201)
  return answer.json as { readonly id: string; readonly name: string }
}
const isClient = (id: string, secret: string) => world.run(Effect.isSuccess(Fixtures.authenticateClient(id, secret)))

describe("POST /v1/developer/apps", () => {
  it("201 with the app in the sandbox; the first one makes the account a developer's [apps-1]", async () => {
    const person = await world.person()
    const answer = await person.send("POST", APPS, {
      ...NEW,
      name: "  Coffee Finder ",
      homepage_url: "https://coffee.example",
      scopes: ["location.lookup", "location.place.current", "location.lookup"]
    })
    expect([answer.status, answer.json]).toEqual([
      201,
      {
        id: expect.stringMatching(/^app_/),
        name: "Coffee Finder",
        description: NEW.description,
        homepage_url: "https://coffee.example",
        logo: null,
        scopes: ["location.place.current", "location.lookup"],
        allowed_scopes: null,
        redirect_uris: [],
        status: "sandbox",
        review_note: null,
        submitted_at: null,
        pending: null,
        on_hold_since: null,
        revoked_at: null,
        created_at: "2026-03-01T12:00:00.000Z"
      }
    ])
    expect((await person.get("/v1/session")).json).toMatchObject({ roles: ["developer"] })
  })

  it("status, owner and other fields that are sent along are ignored", async () => {
    const person = await world.person()
    const app = await create(person, { status: "production", owner_id: "usr_1", allowed_scopes: [], id: "app_1" })
    expect(app).toMatchObject({ status: "sandbox", allowed_scopes: null })
    expect(app.id).not.toBe("app_1")
  })

  it("every problem at once, by field, without the values", async () => {
    const person = await world.person()
    const answer = await person.send("POST", APPS, {
      name: "",
      description: "short",
      homepage_url: `javascript:${CANARY}`,
      scopes: ["location.place.current", CANARY]
    })
    expect(answer.status).toBe(400)
    const { message } = answer.json as { readonly message: ReadonlyArray<string> }
    expect(message).toEqual([
      "name must not be empty",
      "description must be at least 10 characters",
      "homepage_url must be an absolute http or https address without credentials",
      expect.stringMatching(/^scopes\[1\] must be "location/)
    ])
    expect(answer.text).not.toContain(CANARY)
    const none = await person.send("POST", APPS, { ...NEW, scopes: [] })
    expect(none.json).toMatchObject({ message: "scopes must name at least one scope" })
    expect((await person.get(APPS)).json).toEqual({ apps: [], nextCursor: null })
  })
})

describe("GET /v1/developer/apps", () => {
  it("the developer's own apps, oldest first, in pages", async () => {
    const [person, other] = [await world.person(), await world.person()]
    await create(other)
    const ids: Array<string> = []
    for (const name of ["One", "Two", "Three"]) {
      ids.push((await create(person, { name })).id)
      world.clock.advance(1)
    }
    const first = (await person.get(`${APPS}?limit=2`)).json as Listed
    const second = (await person.get(`${APPS}?limit=2&cursor=${encodeURIComponent(first.nextCursor ?? "")}`))
      .json as Listed
    expect([...first.apps, ...second.apps].map(({ id }) => id)).toEqual(ids)
    expect(second.nextCursor).toBeNull()
    expect(((await person.get(APPS)).json as Listed).apps).toHaveLength(3)
  })

  it.each(["limit=0", "limit=501", "limit=x", "cursor=x", "cursor="])(
    "?%s: 400 naming the parameter",
    async (query) => {
      const answer = await (await world.person()).get(`${APPS}?${query}`)
      expect([answer.status, answer.json]).toEqual([
        400,
        expect.objectContaining({
          error: "validation_failed",
          message: expect.stringMatching(`^${query.split("=")[0]} `)
        })
      ])
    }
  )

  it("another account's cursor is refused", async () => {
    const [person, other] = [await world.person(), await world.person()]
    await create(person)
    await create(person)
    const { nextCursor } = (await person.get(`${APPS}?limit=1`)).json as Listed
    expect((await other.get(`${APPS}?cursor=${encodeURIComponent(nextCursor ?? "")}`)).status).toBe(400)
  })
})

interface Listed {
  readonly apps: ReadonlyArray<{ readonly id: string }>
  readonly nextCursor: string | null
}

describe("GET and PATCH /v1/developer/apps/{app_id}", () => {
  it("PATCH changes what is sent and nothing else; null takes the homepage away [apps-3]", async () => {
    const person = await world.person()
    const app = await create(person, { homepage_url: "https://coffee.example" })
    const path = `${APPS}/${app.id}`
    const changed = { ...app, name: "Tea Finder", scopes: ["location.visits.read"] }
    const answer = await person.send("PATCH", path, { name: "Tea Finder", scopes: ["location.visits.read"] })
    expect([answer.status, answer.json]).toEqual([200, changed])
    expect((await person.send("PATCH", path, {})).json).toEqual(changed)
    expect((await person.send("PATCH", path, { homepage_url: null })).json).toEqual({ ...changed, homepage_url: null })
    expect((await person.get(path)).json).toEqual({ ...changed, homepage_url: null })
  })

  it("scopes taken away narrow live tokens at once, and come back when declared again [§5.6, apps-2]", async () => {
    const person = await world.person()
    const { app } = await world.app(person, { declaredScopes: Scope.standard })
    const tokens = await world.connect(person, app, { scopes: ["location.visits.read", "location.rules.place"] })
    const scopes = async () => {
      const me = await world.call("/v1/me", { headers: { authorization: `Bearer ${tokens.accessToken}` } })
      return (me.json as { readonly scopes: ReadonlyArray<string> }).scopes
    }
    expect(await scopes()).toEqual(["location.visits.read", "location.rules.place"])
    await person.send("PATCH", `${APPS}/${app.id}`, { scopes: ["location.rules.place"] })
    expect(await scopes()).toEqual(["location.rules.place"])
    await person.send("PATCH", `${APPS}/${app.id}`, { scopes: ["location.rules.place", "location.visits.read"] })
    expect(await scopes()).toEqual(["location.visits.read", "location.rules.place"])
  })

  it("an app in review: scopes can be given up (200) but not added (409) [apps-2]", async () => {
    const person = await world.person()
    const { app } = await world.app(person, { status: "in_review", declaredScopes: Scope.standard })
    const path = `${APPS}/${app.id}`
    expect((await person.send("PATCH", path, { scopes: ["location.visits.read"] })).status).toBe(200)
    const refused = await person.send("PATCH", path, { name: "Other", scopes: ["location.lookup"] })
    expect([refused.status, refused.json]).toEqual([409, expect.objectContaining({ error: "conflict" })])
    expect((await person.get(path)).json).toMatchObject({ name: app.name, scopes: ["location.visits.read"] })
  })

  it("validation names every field", async () => {
    const person = await world.person()
    const { id } = await create(person)
    const answer = await person.send("PATCH", `${APPS}/${id}`, { name: 5, scopes: [] })
    expect(answer.json).toMatchObject({
      statusCode: 400,
      message: ["name must be a string or null", "scopes must name at least one scope"]
    })
  })
})

describe("POST /v1/oauth/clients/{app_id}", () => {
  it("201 with a secret that authenticates the client; asked again: new URIs, new secret, the old one good for 24 hours [§4.3-clients]", async () => {
    const person = await world.person()
    const { id } = await create(person)
    const path = `/v1/oauth/clients/${id}`
    const first = await person.send("POST", path, {
      redirectUris: ["https://a.example/cb", "http://localhost:3000/cb"]
    })
    expect([first.status, first.json]).toEqual([
      201,
      {
        clientId: id,
        clientSecret: expect.stringMatching(/^[A-Za-z0-9_-]{43,}$/),
        redirectUris: ["https://a.example/cb", "http://localhost:3000/cb"],
        pendingRedirectUris: []
      }
    ])
    const second = await person.send("POST", path, { redirectUris: ["com.example.app:/cb"] })
    const [old, next] = [first, second].map(({ json }) => (json as { readonly clientSecret: string }).clientSecret)
    expect(next).not.toBe(old)
    expect((await person.get(`${APPS}/${id}`)).json).toMatchObject({ redirect_uris: ["com.example.app:/cb"] })
    world.clock.advance(86_400_000 - 1)
    expect([await isClient(id, old!), await isClient(id, next!)]).toEqual([true, true])
    world.clock.advance(1)
    expect([await isClient(id, old!), await isClient(id, next!)]).toEqual([false, true])
  })

  it("no other answer shows a secret [apps-7]", async () => {
    const person = await world.person()
    const { app, clientSecret } = await world.app(person)
    const answers = [
      await person.get(APPS),
      await person.get(`${APPS}/${app.id}`),
      await person.send("PATCH", `${APPS}/${app.id}`, {})
    ]
    for (const { text } of answers) expect(text).not.toMatch(new RegExp(`${clientSecret}|hash|secret`, "i"))
  })

  it("every bad address is named by its place, and none is repeated in the answer", async () => {
    const person = await world.person()
    const { id } = await create(person)
    const refused = [
      `http://${CANARY}.example`,
      `https://good@${CANARY}.example`,
      7,
      `https://a.example?code=${CANARY}`
    ]
    const uris = ["https://ok.example/cb", ...refused]
    const answer = await person.send("POST", `/v1/oauth/clients/${id}`, { redirectUris: uris })
    expect(answer.status).toBe(400)
    const { message } = answer.json as { readonly message: ReadonlyArray<string> }
    expect(message.map((text) => text.split(" ")[0])).toEqual([1, 2, 3, 4].map((place) => `redirectUris[${place}]`))
    expect(answer.text).not.toContain(CANARY)
    expect((await person.get(`${APPS}/${id}`)).json).toMatchObject({ redirect_uris: [] })
  })

  it.each([
    ["none", [], "redirectUris must name at least one address"],
    [
      "21 addresses",
      Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`),
      "redirectUris must name at most 20 addresses"
    ],
    ["one twice", ["https://a.example/", "https://a.example/"], "redirectUris[1] is the same as an earlier one"],
    ["a text", "https://a.example/", "redirectUris must be an array or null"],
    ["null", null, "redirectUris is missing"]
  ])("%s: 400 validation_failed", async (_, redirectUris, message) => {
    const person = await world.person()
    const { id } = await create(person)
    const answer = await person.send("POST", `/v1/oauth/clients/${id}`, { redirectUris })
    expect(answer.json).toEqual({ statusCode: 400, error: "validation_failed", message })
  })

  it("RFC 7591's redirect_uris is read too; both and different is 400 invalid_request [O1]", async () => {
    const person = await world.person()
    const { id } = await create(person)
    const path = `/v1/oauth/clients/${id}`
    const [a, b] = [["https://a.example/cb"], ["https://b.example/cb"]]
    expect((await person.send("POST", path, { redirect_uris: a })).json).toMatchObject({ redirectUris: a })
    expect((await person.send("POST", path, { redirect_uris: b, redirectUris: b })).json).toMatchObject({
      redirectUris: b
    })
    const answer = await person.send("POST", path, { redirect_uris: a, redirectUris: b })
    expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ error: "invalid_request" })])
    expect((await person.send("POST", path, {})).json).toMatchObject({ message: "redirectUris is missing" })
  })
})

describe("whose app it is", () => {
  const routes = [
    ["GET", `${APPS}/{id}`, undefined],
    ["PATCH", `${APPS}/{id}`, { name: "Mine" }],
    ["POST", "/v1/oauth/clients/{id}", { redirectUris: ["https://evil.example/cb"] }]
  ] as const

  it.each(routes)(
    "%s %s: somebody else's app, an unknown one and an impossible id are one and the same 404 [apps-1]",
    async (method, path, body) => {
      const [owner, stranger] = [
        await world.person(),
        await world.person({ roles: ["developer", "reviewer", "admin"] })
      ]
      const { app } = await world.app(owner)
      const ids = [app.id, "app_unknown", "%20", "x".repeat(99), "..%2Fx", "é"]
      const answers = await Promise.all(ids.map((id) => stranger.send(method, path.replace("{id}", id), body)))
      expect(answers.map(({ status, json }) => [status, json])).toEqual(
        ids.map(() => [404, { statusCode: 404, error: "not_found", message: "No such app" }])
      )
      expect((await owner.get(`${APPS}/${app.id}`)).json).toMatchObject({
        name: app.name,
        redirect_uris: app.redirectUris
      })
    }
  )

  it.each([...routes, ["GET", APPS, undefined], ["POST", APPS, NEW]] as const)(
    "%s %s: nobody signed in is 401, another site's page is 403 where something changes",
    async (method, path, body) => {
      const owner = await world.person()
      const { app } = await world.app(owner)
      const target = path.replace("{id}", app.id)
      const headers = { "content-type": "application/json" }
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const nobody = await world.call(target, init)
      expect([nobody.status, nobody.json]).toEqual([401, expect.objectContaining({ error: "not_signed_in" })])
      const foreign = await owner.send(method, target, body, { headers: { origin: "https://evil.example" } })
      expect(foreign.status).toBe(method === "GET" ? 200 : 403)
    }
  )
})
