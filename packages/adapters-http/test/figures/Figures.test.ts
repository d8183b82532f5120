import { disconnect } from "@place-access/domain/connection"
import { COUNTED_MAX, FiguresStore, Tally } from "@place-access/domain/figures"
import { Idempotency } from "@place-access/domain/idempotency"
import { Rate, Subject, takeCall } from "@place-access/domain/limits"
import { AppId, ConnectionId, EndpointId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

const tally = Tally.make()
let world: World
beforeAll(async () => {
  world = await startWorld({ recorder: tally, rateLimitPerMinute: 3 })
})
afterAll(() => world.close())

/** Stores the counted calls (the tally) in the database, as a running process does every second. */
const store = () => {
  const batch = tally.take()
  return batch === undefined ? undefined : world.run(Effect.flatMap(FiguresStore, (figures) => figures.add(batch)))
}

const connected = async () => {
  const [owner, user] = [await world.person(), await world.person()]
  const { app, clientSecret } = await world.app(owner, { status: "production" })
  const tokens = await world.connect(user, app, { scopes: ["location.place.current"] })
  return { owner, user, app, clientSecret, tokens, path: `/v1/developer/apps/${app.id}` }
}

interface Calls {
  readonly calls: ReadonlyArray<{ readonly request_id: string; readonly endpoint: string; readonly status: number }>
  readonly nextCursor: string | null
}

const callsOf = async (owner: Person, path: string, query = "") =>
  (await owner.get(`${path}/calls${query}`)).json as Calls

describe("GET /v1/developer/apps/{app_id}/calls", () => {
  it("lists answers and refusals with the request id of the answer and without a person [figures-2]", async () => {
    const { app, owner, path, tokens, user } = await connected()
    const good = await world.call(
      "/v1/answers/places/plc_secret-place/presence?secret=query",
      bearer(tokens.accessToken)
    )
    const scope = await world.call("/v1/locations/latest?purpose=x", bearer(tokens.accessToken))
    await world.call("/v1/me", bearer(tokens.accessToken))
    const limited = await world.call("/v1/me", bearer(tokens.accessToken))
    await store()
    expect([good.status, scope.status, limited.status]).toEqual([404, 403, 429])
    const text = (await owner.get(`${path}/calls`)).text
    const { calls, nextCursor } = JSON.parse(text) as Calls
    expect(nextCursor).toBeNull()
    expect(calls).toHaveLength(4)
    expect(calls).toContainEqual({
      at: "2026-03-01T12:00:00.000Z",
      request_id: limited.headers.get("x-request-id"),
      endpoint: "GET /v1/me",
      status: 429,
      error: "rate_limited"
    })
    expect(calls).toContainEqual(expect.objectContaining({ status: 200, error: null, endpoint: "GET /v1/me" }))
    for (const secret of ["secret", user.account.id, tokens.sub, "con_", "127.0.0.1"])
      expect(text).not.toContain(secret)
    const errors = await callsOf(owner, path, "?only=errors")
    expect(errors.calls.map(({ status }) => status).sort()).toEqual([403, 404, 429])
    const first = await callsOf(owner, path, "?limit=3")
    const rest = await callsOf(owner, path, `?limit=3&cursor=${encodeURIComponent(first.nextCursor ?? "")}`)
    expect([...first.calls, ...rest.calls]).toEqual(calls)
    expect((await owner.get(`${path}/calls?only=errors&cursor=${first.nextCursor ?? ""}`)).status).toBe(400)
    expect(app.id).toBeDefined()
  })

  it("a wrong client secret and a token that no longer works are calls of the app; what is unknown is nobody's [figures-2]", async () => {
    const { app, owner, path, tokens, user } = await connected()
    const wrong = (client: string) =>
      world.call("/v1/oauth/token", {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token: "x",
          client_id: client,
          client_secret: "pa_cs_wrong"
        })
      })
    expect((await wrong(app.id)).status).toBe(401)
    expect((await wrong("app_unknown")).status).toBe(401)
    await world.call("/v1/me", bearer(`${tokens.accessToken}x`))
    const grants = await world.call("/v1/oauth/token", { method: "POST" })
    expect(grants.status).toBe(400)
    const { users } = (await owner.get(`${path}/users`)).json as { users: ReadonlyArray<{ grant_id: string }> }
    await world.run(disconnect(user.account.id, ConnectionId.make(users[0]?.grant_id ?? "")))
    expect((await world.call("/v1/me", bearer(tokens.accessToken))).status).toBe(401)
    await store()
    const { calls } = await callsOf(owner, path)
    expect(calls).toHaveLength(2)
    expect(calls).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ endpoint: "POST /v1/oauth/token", status: 401, error: "invalid_client" }),
        expect.objectContaining({ endpoint: "GET /v1/me", status: 401, error: "invalid_token" })
      ])
    )
  })

  it("what a developer reads about a user is no call of the app [figures-2]", async () => {
    const { owner, path, user } = await connected()
    const { users } = (await owner.get(`${path}/users`)).json as { users: ReadonlyArray<{ grant_id: string }> }
    const read = await owner.get(`${path}/rules?grant_id=${users[0]?.grant_id ?? ""}`)
    expect(read.status).toBe(200)
    expect(((await user.get("/v1/user/access-log")).json as { entries: ReadonlyArray<unknown> }).entries.length).toBe(1)
    expect(tally.take()).toBeUndefined()
  })
})

describe("GET /v1/developer/apps/{app_id}/figures", () => {
  it("fourteen days in UTC with calls, refusals, the rate that one user used, and users", async () => {
    const { app, owner, path, tokens } = await connected()
    for (let call = 0; call < 4; call++) await world.call("/v1/me", bearer(tokens.accessToken))
    for (const _ of [1, 2]) tally.fired(app.id, Timestamp.make(Date.UTC(2026, 1, 28, 23, 59)))
    await store()
    const { days, users } = (await owner.get(`${path}/figures`)).json as {
      readonly users: number
      readonly days: ReadonlyArray<Record<string, unknown>>
    }
    expect(users).toBe(1)
    expect(days).toHaveLength(14)
    expect(days[0]?.["from"]).toBe("2026-02-16T00:00:00.000Z")
    expect(days.slice(-2)).toEqual([
      expect.objectContaining({ from: "2026-02-28T00:00:00.000Z", calls: 0, firings: 2, connected: 0 }),
      {
        from: "2026-03-01T00:00:00.000Z",
        calls: 4,
        refused: 1,
        limited: 1,
        failed: 0,
        rate_percent: 100,
        firings: 0,
        connected: 1
      }
    ])
  })

  it("a refusal by the limit of keys says nothing about the rate that the user's connection used [limits-4]", async () => {
    const { app, owner, path, user } = await connected()
    const { accessToken } = await world.connect(user, app, { scopes: ["location.rules.place"] })
    const { users } = (await owner.get(`${path}/users`)).json as { users: ReadonlyArray<{ grant_id: string }> }
    const keys = Subject.keyed(Idempotency.connection(ConnectionId.make(users[0]?.grant_id ?? "")))
    await world.run(Effect.repeatN(takeCall(keys, Rate.KEYED), Rate.KEYED.calls - 1))
    const headers = { authorization: `Bearer ${accessToken}`, "idempotency-key": "one-too-many" }
    const refused = await world.call("/v1/rules/place", { method: "POST", headers })
    const shown = ["ratelimit-limit", "ratelimit-remaining"].map((name) => refused.headers.get(name))
    expect([refused.status, ...shown]).toEqual([429, "1000", "0"])
    await store()
    const { days } = (await owner.get(`${path}/figures`)).json as { days: ReadonlyArray<unknown> }
    // The app made one of the three calls that the connection may send in a minute, so it used 34 % of the limit
    // (rounded up).
    expect(days.at(-1)).toMatchObject({ calls: 1, limited: 1, rate_percent: 34 })
  })

  it("a call of the token endpoint says nothing about the rate that a user's connection used [figures-2]", async () => {
    const { app, owner, path } = await connected()
    const fields = { grant_type: "refresh_token", refresh_token: "x", client_id: app.id, client_secret: "pa_cs_wrong" }
    const refused = await world.call("/v1/oauth/token", { method: "POST", body: new URLSearchParams(fields) })
    // The headers of the answer describe the limit of the network address, not the limit of a connection.
    expect([refused.status, refused.headers.has("ratelimit-limit")]).toEqual([401, true])
    await store()
    const { days } = (await owner.get(`${path}/figures`)).json as { days: ReadonlyArray<unknown> }
    expect(days.at(-1)).toMatchObject({ calls: 1, refused: 1, rate_percent: 0 })
  })

  it("404 for another developer's app, its calls and its endpoints", async () => {
    const { path } = await connected()
    const other = await world.person()
    for (const end of ["figures", "calls", "webhooks/ep_1/figures"]) {
      expect((await other.get(`${path}/${end}`)).status, end).toBe(404)
    }
  })
})

describe("GET /v1/developer/apps/{app_id}/webhooks/{endpoint_id}/figures", () => {
  it("failing from the first failed attempt on, with its error, and no longer after a success [figures-3]", async () => {
    const { app, owner, path } = await connected()
    const made = await owner.send("POST", `${path}/webhooks`, { url: "https://hooks.example.com/x" })
    const { id } = made.json as { readonly id: string }
    const read = async () => (await owner.get(`${path}/webhooks/${id}/figures`)).json as Record<string, unknown>
    expect(await read()).toMatchObject({ health: "unknown", waiting: 0, last_day: { attempts: 0, p95_ms: null } })
    const attempt = (endedAt: number, error: string | null) =>
      tally.attempted({
        appId: AppId.make(app.id),
        endpointId: EndpointId.make(id),
        endedAt: Timestamp.make(endedAt),
        tookMillis: 180,
        error
      })
    const now = Date.UTC(2026, 2, 1, 11, 59)
    attempt(now - 1, null)
    attempt(now, "answered 500")
    await store()
    const failing = await read()
    expect(failing).toMatchObject({
      health: "failing",
      last_success_at: "2026-03-01T11:58:59.999Z",
      last_failure_at: "2026-03-01T11:59:00.000Z",
      last_error: "answered 500",
      last_day: { attempts: 2, succeeded: 1, p95_ms: 200 }
    })
    expect((failing["hours"] as ReadonlyArray<unknown>).slice(-2)).toEqual([
      { from: "2026-03-01T11:00:00.000Z", succeeded: 1, failed: 1 },
      { from: "2026-03-01T12:00:00.000Z", succeeded: 0, failed: 0 }
    ])
    attempt(now + 1, null)
    await store()
    expect(await read()).toMatchObject({ health: "healthy", last_error: null })
    expect((await owner.get(`${path}/webhooks/ep_unknown/figures`)).status).toBe(404)
  })
})

describe("the pages of numbers", () => {
  it("the overview, the request log and the endpoint show what was counted, in English and German", async () => {
    const { app, owner, tokens } = await connected()
    for (let call = 0; call < 4; call++) await world.call("/v1/me", bearer(tokens.accessToken))
    await store()
    const pages = `/developer/apps/${app.id}`
    const overview = (await owner.get(pages)).text
    expect(overview).toContain("The last 14 days")
    expect(overview).toContain("25.0% of the calls")
    expect(overview).toContain("100%")
    const log = (await owner.get(`${pages}/calls`)).text
    expect(log.match(/GET \/v1\/<wbr \/>me/g)).toHaveLength(4)
    const errors = (await owner.get(`${pages}/calls?which=errors`)).text
    expect(errors.match(/GET \/v1\/<wbr \/>me/g)).toHaveLength(1)
    expect(errors).toContain("rate_<wbr />limited")
    const german = (await owner.get(pages, { headers: { "accept-language": "de" } })).text
    expect(german).toContain("25,0 % der Anfragen")
    expect(german).toContain("100 %")
  })

  it("the overview says how days are counted in a zone whose midnight is within an hour of UTC, and only there [figures-1]", async () => {
    const { app, owner } = await connected()
    const path = `/developer/apps/${app.id}`
    const [en, de] = ["an hour that contains midnight counts for the earlier day", "zählt zum früheren Tag"]
    for (const [time_zone, isSaid] of [
      ["Asia/Kolkata", true],
      ["Asia/Kathmandu", true],
      ["Europe/Berlin", false]
    ] as const) {
      await owner.send("PUT", "/v1/user/time-zone", { time_zone })
      const german = { headers: { "accept-language": "de" } }
      const pages = [(await owner.get(path)).text, (await owner.get(path, german)).text]
      expect([time_zone, pages[0]?.includes(en), pages[1]?.includes(de)]).toEqual([time_zone, isSaid, isSaid])
    }
  })

  it("the endpoint does not say that late attempts took at most ten seconds: nobody knows how long they took [figures-3]", async () => {
    const { app, owner, path } = await connected()
    const made = await owner.send("POST", `${path}/webhooks`, { url: "https://hooks.example.com/late" })
    const { id } = made.json as { readonly id: string }
    const endedAt = Timestamp.make(world.clock.now())
    const attempt = { appId: AppId.make(app.id), endpointId: EndpointId.make(id), endedAt, error: null }
    tally.attempted({ ...attempt, tookMillis: 25_000 })
    await store()
    const { text } = await owner.get(`/developer/apps/${app.id}/webhooks/${id}`)
    expect(text).toContain("100.0% of 1 attempt succeeded; more than 5% took longer than 5,000 ms")
    expect(text).not.toContain("took at most")
  })

  it("the overview says that only the newest 10,000 connections are counted, even when some of them have ended", async () => {
    const { app, owner } = await connected()
    const { connections } = await world.run(MemoryDatabase)
    const own = [...connections.values()].find(({ appId }) => appId === app.id)
    if (own === undefined) throw new Error("no connection")
    const overview = async () => (await owner.get(`/developer/apps/${app.id}`)).text
    const add = (count: number) => {
      for (let number = 0; number < count; number++) {
        const id = ConnectionId.make(`con_ended_${number}`)
        connections.set(id, { ...own, id, endedAt: own.connectedAt, endReason: "user_disconnected" })
      }
    }
    add(COUNTED_MAX - 2)
    expect(await overview()).not.toContain("of the newest")
    add(COUNTED_MAX - 1)
    expect(await overview()).toContain("of the newest 10,000 connections")
  })
})
