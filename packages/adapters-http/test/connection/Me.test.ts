import { AccessLogStore } from "@place-access/domain/access-log"
import { ConnectionStore, disconnect } from "@place-access/domain/connection"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const log = (person: Person) =>
  world.run(Effect.flatMap(AccessLogStore, (store) => store.list(person.account.id, {}, 100, undefined)))

describe("GET /v1/me", () => {
  it("answers the connection of Spec §2.2 and writes the access log [§2.2, §4.3-me]", async () => {
    const user = await world.person()
    const { app } = await world.app(user)
    const tokens = await world.connect(user, app, { scopes: ["location.place.current"] })
    const answer = await world.call("/v1/me", bearer(tokens.accessToken))
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      sub: tokens.sub,
      external_user_id: null,
      scopes: ["location.place.current"],
      held_scopes: ["location.place.current"],
      places_version: 1,
      grant_expires_at: "2026-03-31T12:00:00.000Z",
      sensitive_expires_at: null,
      sensitive_lapsed_at: null,
      renewal_grace_ends_at: null,
      connected_at: "2026-03-01T12:00:00.000Z"
    })
    expect((await log(user)).items).toEqual([
      expect.objectContaining({ endpoint: "GET /v1/me", appId: app.id, status: 200, error: null })
    ])
  })

  it("the answer to a missing, a malformed, an expired and a revoked token is one text [§5.1, wire-4]", async () => {
    const user = await world.person()
    const { app } = await world.app(user)
    const { accessToken: expired } = await world.connect(user, app, { scopes: ["location.place.current"] })
    world.clock.advance(3_600_001)
    const other = await world.person()
    const { app: theirs } = await world.app(other)
    const { accessToken: revoked } = await world.connect(other, theirs, { scopes: ["location.place.current"] })
    await world.run(disconnectFirst(other))
    const answers = await Promise.all(
      [{}, bearer("nonsense"), bearer(expired), bearer(revoked)].map((init) => fetch(`${world.url}/v1/me`, init))
    )
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(texts).size).toBe(1)
    expect(JSON.parse(texts[0] ?? "")).toEqual({
      statusCode: 401,
      error: "invalid_token",
      message: expect.any(String),
      doc_url: `${world.url}/docs/errors/invalid_token`
    })
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(4)
  })

  it("a token that is missing, malformed, misspelt, expired or revoked: one 401 for all, logged when known [§5.1]", async () => {
    const user = await world.person()
    const { app } = await world.app(user)
    const tokens = await world.connect(user, app, { scopes: ["location.place.current"] })
    const good = tokens.accessToken
    const refused: Array<RequestInit | undefined> = [
      undefined,
      { headers: { authorization: `Basixx ${good}` } },
      { headers: { authorization: `Basic ${good}` } },
      { headers: { authorization: good } },
      { headers: { authorization: `Bearer ${good} ${good}` } },
      { headers: { authorization: `Bearer ${good}, Bearer ${good}` } },
      { headers: { authorization: "Bearer" } },
      bearer(`${good}x`),
      bearer("nonsense"),
      bearer(tokens.refreshToken)
    ]
    const answers = await Promise.all(refused.map((init) => world.call("/v1/me", init)))
    answers.push(await world.call(`/v1/me?access_token=${good}`))
    expect((await log(user)).items).toEqual([])
    world.clock.advance(3_600_000)
    answers.push(await world.call("/v1/me", bearer(good)))
    world.clock.advance(-3_600_000)
    for (const authorization of [`bearer ${good}`, `Bearer   ${good}`]) {
      expect((await world.call("/v1/me", { headers: { authorization } })).status).toBe(200)
    }
    await world.run(disconnectFirst(user))
    answers.push(await world.call("/v1/me", bearer(good)))
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.json).toEqual({
        statusCode: 401,
        error: "invalid_token",
        message: "The token is missing, malformed, expired or revoked"
      })
      expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"')
    }
    const entries = (await log(user)).items.map(({ status, error, times }) => [status, error, times])
    expect(entries.filter(([status]) => status === 200)).toEqual([
      [200, null, 1],
      [200, null, 1]
    ])
    // Both refused calls are of the same connection, route and hour, so the access log has one entry for both calls
    // (decision limits-10).
    expect(entries.filter(([status]) => status === 401)).toEqual([[401, "invalid_token", 2]])
  })
})

const disconnectFirst = ({ account }: Person) =>
  Effect.gen(function* () {
    const [first] = yield* Effect.flatMap(ConnectionStore, (store) => store.listOfUser(account.id))
    if (first !== undefined) yield* disconnect(account.id, first.connection.id)
  })
