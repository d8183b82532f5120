import { createClient, isPlaceAccessError, type PlaceAccessError } from "@place-access/adapters-http/client"
import { OPERATIONS } from "@place-access/adapters-http/client/Operations"
import { Scope } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connected, type Connected, CURRENT, RULES } from "../support/connected.js"
import { phone } from "../support/phone.js"
import { startWorld, type World } from "../support/World.js"
import {
  answering,
  callback,
  connectedClient,
  gateway,
  losingAnswer,
  type Meddle,
  optionsFor,
  pendingOf,
  refusing,
  runtimeOn
} from "./support.js"

const PURPOSE = { purpose: "order_ahead" }
const answered = (status: number, body: object, headers: Record<string, string> = {}) =>
  Promise.resolve(Response.json(body, { status, headers }))
const failure = async (call: Promise<unknown>): Promise<PlaceAccessError> => {
  const error = await call.then(
    () => new Error("the call succeeded"),
    (error: unknown) => error
  )
  if (!isPlaceAccessError(error)) throw error
  return error
}

describe("the client, against the real service over a socket", () => {
  let world: World
  let app: Connected
  beforeAll(async () => {
    world = await startWorld()
    app = await connected(world)
    const { id } = (await app.person.send("POST", "/v1/user/devices", { name: "Phone", format: "json" })).json as {
      readonly id: string
    }
    expect(id).toMatch(/^dev_/)
  })
  afterAll(() => world.close())

  it("calls every operation, and each answers as its type says", async () => {
    world.clock.advance(3_600_000)
    const { client, runtime } = await connectedClient(world, app, [...Scope.standard, ...Scope.sensitive])
    // The ages of the readings that the phone uploads.
    const ages = [40, 30, 20, 10, 1].map((minutes) => minutes * 60_000)
    await (await phone(world, app.person)).at({ lat: 52.37, lon: 4.89 }, ages)
    const now = new Date(world.clock.now()).toISOString()
    const from = new Date(world.clock.now() - 3_600_000).toISOString()
    const to = new Date(world.clock.now() + 1).toISOString()
    const { placeId } = app
    const home = { id: placeId, label: "Home", kind: "home" }

    expect(await client.me()).toMatchObject({ held_scopes: expect.arrayContaining([CURRENT]) as unknown })
    expect(await client.answers.places()).toMatchObject({ places: [home] })
    expect(await client.answers.currentPlace({ max_age_s: 600 })).toMatchObject({ state: "at_place", place: home })
    expect(await client.answers.presence(placeId)).toMatchObject({ state: "yes", place: home })
    const office = { lat: 1, lon: 2, radius_m: 500, label: "Office" }
    expect(await client.answers.verifyZone(office)).toMatchObject({ state: "no" })
    expect(await client.answers.placeAt({ at: now, tolerance_s: 120 })).toMatchObject({ matched: true, place: home })
    expect((await client.visits().page()).nextCursor).toBeNull()

    expect(await client.locations.latest(PURPOSE)).toMatchObject({ fix: { lat: 52.37, lon: 4.89 } })
    expect(await client.locations.at({ ...PURPOSE, at: now })).toMatchObject({ matched: true, deltaSeconds: 60 })
    expect(await client.locations.days({ ...PURPOSE, from, to })).toMatchObject({ days: [{ fixes: 5 }] })
    const found = []
    for await (const fix of client.locations.between({ ...PURPOSE, from, to, limit: 2 })) found.push(fix.captured_at)
    expect(found).toEqual([...found].sort())
    expect(found.length).toBe(5)

    const rule = await client.placeRules.create({ type: "dwell", dwell_minutes: 10, place_id: placeId })
    expect(await client.placeRules.list().page()).toEqual({ rules: [rule], nextCursor: null })
    expect((await client.placeRules.evaluations(rule.id)).evaluations).toEqual([])
    await client.placeRules.remove(rule.id)
    const zone = await client.zoneRules.create({ type: "enter", ...office })
    expect(await client.zoneRules.list().page()).toEqual({ rules: [zone], nextCursor: null })
    expect((await client.zoneRules.evaluations(zone.id)).evaluations).toEqual([])
    await client.zoneRules.remove(zone.id)
    const { id } = await client.subscriptions.create("https://example.com/hook")
    await client.subscriptions.remove(id)
    expect(await client.authorization.metadata()).toMatchObject({ token_endpoint: `${world.url}/v1/oauth/token` })

    const patterns = Object.values(OPERATIONS).map(
      ({ method, path }) => [`${method} ${path}`, new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}(?:\\?|$)`)] as const
    )
    const called = new Set(
      runtime.sent.flatMap(({ method, path }) =>
        patterns
          .filter(([label, pattern]) => label.startsWith(`${method} `) && pattern.test(path))
          .map(([label]) => label)
      )
    )
    expect(patterns.map(([label]) => label).filter((label) => !called.has(label))).toEqual([])
  })

  it("reads a list to its end, a page at a time, and stops reading when the loop stops", async () => {
    const { client, runtime } = await connectedClient(world, app, [RULES])
    for (const type of ["enter", "exit", "enter", "exit", "enter"] as const) {
      await client.placeRules.create({ type, place_id: app.placeId })
    }
    const lists = () =>
      runtime.sent.filter(({ method, path }) => method === "GET" && path.startsWith("/v1/rules/")).length
    const ids = []
    for await (const { id } of client.placeRules.list({ limit: 2 })) ids.push(id)
    expect(new Set(ids).size).toBe(5)
    expect(lists()).toBe(3)
    for await (const { id } of client.placeRules.list({ limit: 2 })) if (id === ids[0]) break
    expect(lists()).toBe(4)
    const sizes = []
    for await (const { rules } of client.placeRules.list({ limit: 4 }).pages()) sizes.push(rules.length)
    expect(sizes).toEqual([4, 1])
  })

  it("a rule whose answer was lost is made once: every attempt has the same key [idempotency-1]", async () => {
    let lost = 0
    const { client, runtime } = await connectedClient(world, app, [RULES], ({ method, path }, pass) =>
      method === "POST" && path === "/v1/rules/place" && lost++ === 0 ? losingAnswer(pass) : pass()
    )
    const before = (await client.placeRules.list().page()).rules
    const rule = await client.placeRules.create({ type: "enter", place_id: app.placeId })
    const keys = runtime.sent
      .filter(({ method }) => method === "POST")
      .filter(({ path }) => path === "/v1/rules/place")
      .map((one) => one.headers.get("idempotency-key"))
    expect(keys.length).toBe(2)
    expect(new Set(keys).size).toBe(1)
    const after = (await client.placeRules.list().page()).rules
    expect([after.length, after.some(({ id }) => id === rule.id)]).toEqual([before.length + 1, true])
    // An app stores a key with each order. If the process dies during the call, the next process repeats the call with
    // the stored key, and must get the first answer.
    const key = { idempotencyKey: "order-7" }
    const first = await client.placeRules.create({ type: "exit", place_id: app.placeId }, key)
    expect(await client.placeRules.create({ type: "exit", place_id: app.placeId }, key)).toEqual(first)
    const other = failure(client.placeRules.create({ type: "enter", place_id: app.placeId }, key))
    expect(await other).toMatchObject({ code: "idempotency_key_reused", status: 422 })
  })

  it("a rule whose removal was not answered is removed, and one that was never there is not found", async () => {
    let lost = 0
    const { client } = await connectedClient(world, app, [RULES], ({ method }, pass) =>
      method === "DELETE" && lost++ === 0 ? losingAnswer(pass) : pass()
    )
    const { id } = await client.placeRules.create({ type: "enter", place_id: app.placeId })
    expect(await client.placeRules.remove(id)).toBeUndefined()
    expect(await failure(client.placeRules.remove(id))).toMatchObject({ code: "not_found", status: 404 })
  })

  it.each([
    ["a 503 of the service", () => answering(503, "unavailable")],
    ["a gateway's 502", () => gateway(502)],
    ["a gateway's 504", () => gateway(504)]
  ])("%s can follow a removal: the 404 at the next attempt is a success", async (_, answer) => {
    let removals = 0
    const { client } = await connectedClient(world, app, [RULES], async ({ method }, pass) => {
      if (method !== "DELETE" || removals++ > 0) return pass()
      await (await pass()).text()
      return answer()
    })
    const { id } = await client.placeRules.create({ type: "enter", place_id: app.placeId })
    expect(await client.placeRules.remove(id)).toBeUndefined()
    expect(removals).toBe(2)
  })

  it.each([
    ["the service was not reached", () => refusing()],
    ["a refusal", () => answering(429, "rate_limited")],
    ["a hold", () => answering(503, "connection_on_hold")]
  ])("after %s nothing was removed: the 404 at the next attempt is a failure", async (_, answer) => {
    let removals = 0
    const { client } = await connectedClient(world, app, [RULES], ({ method }, pass) =>
      method === "DELETE" && removals++ === 0 ? answer() : pass()
    )
    expect(await failure(client.placeRules.remove("rul_unknown"))).toMatchObject({ code: "not_found", status: 404 })
    expect(removals).toBe(2)
  })

  it("the count of the faults that an answer leaves out names no field", async () => {
    const message = ["lat is missing", "and 7 more"]
    const body = { statusCode: 400, error: "validation_failed", message }
    const { client } = await connectedClient(world, app, [RULES], ({ path }, pass) =>
      path.includes("/rules/") ? answered(400, body) : pass()
    )
    const error = await failure(client.placeRules.remove("rul_unknown"))
    expect(error.problems).toEqual([
      { field: "lat", message: "is missing" },
      { field: "", message: "and 7 more" }
    ])
  })

  it("an error has code, status, field and the request's id, and repeats no value", async () => {
    const { client } = await connectedClient(world, app, [RULES])
    const wrong = { type: "sideways", place_id: app.placeId, max_event_age_s: -7 } as never
    const error = await failure(client.placeRules.create(wrong))
    expect(error).toMatchObject({ name: "PlaceAccessError", code: "validation_failed", status: 400 })
    expect(error.problems.map(({ field }) => field).sort()).toEqual(["max_event_age_s", "type"])
    expect(error.field).toBe(error.problems[0]?.field)
    expect(error.requestId).toMatch(/^[\w-]{8,}$/)
    expect(error.message).toContain(error.requestId)
    expect(JSON.stringify([error.message, error.problems])).not.toMatch(/sideways|-7/)
    expect(isPlaceAccessError(error, "validation_failed")).toBe(true)
    expect(isPlaceAccessError(error, "not_found")).toBe(false)
    expect(await failure(client.answers.currentPlace())).toMatchObject({ code: "missing_scope", status: 403 })
    expect(await failure(client.placeRules.remove("../../me"))).toMatchObject({ code: "not_found" })
  })

  describe("when the service asks to wait", () => {
    const limited = (times: number, header: string): Meddle => {
      let left = times
      return ({ path }, pass) =>
        path === "/v1/me" && left-- > 0
          ? answered(429, { statusCode: 429, error: "rate_limited", message: "wait" }, { "retry-after": header })
          : pass()
    }

    it.each([
      ["seconds", "7", 7_000],
      ["no seconds", "0", 0]
    ])("the client waits as long as Retry-After says: %s", async (_, header, millis) => {
      const { client, runtime } = await connectedClient(world, app, [CURRENT], limited(1, header))
      await client.me()
      expect(runtime.waits).toEqual([millis])
    })

    it("the client waits until the date in Retry-After", async () => {
      const at = new Date(Math.ceil(world.clock.now() / 1_000) * 1_000 + 9_000)
      const { client, runtime } = await connectedClient(world, app, [CURRENT], limited(1, at.toUTCString()))
      await client.me()
      expect(runtime.waits.length).toBe(1)
      expect(Math.abs((runtime.waits[0] ?? 0) - 9_000)).toBeLessThanOrEqual(1_000)
    })

    it("a wait of an hour is not waited for: the error says how long it is", async () => {
      const { client, runtime } = await connectedClient(world, app, [CURRENT], limited(9, "3600"))
      expect(await failure(client.me())).toMatchObject({ code: "rate_limited", status: 429, retryAfterS: 3_600 })
      expect(runtime.waits).toEqual([])
    })

    it("gives up after the retries that were allowed", async () => {
      const { client, runtime } = await connectedClient(world, app, [CURRENT], limited(9, "1"))
      expect(await failure(client.me())).toMatchObject({ code: "rate_limited" })
      expect(runtime.waits).toEqual([1_000, 1_000])
    })

    it("the service's own limit: the last calls wait, and none fails", async () => {
      const narrow = await startWorld({ rateLimitPerMinute: 5 })
      try {
        const { client, runtime } = await connectedClient(narrow, await connected(narrow), [CURRENT])
        for (let call = 0; call < 8; call++) await client.me()
        expect(runtime.waits.length).toBeGreaterThan(0)
      } finally {
        await narrow.close()
      }
    })

    it("an abort ends the wait before a retry", async () => {
      const abort = new AbortController()
      const runtime = runtimeOn(world, limited(1, "30"))
      // Here the client does not get the test's `sleep`, so it waits in real time. The abort must end this wait.
      const { sleep: _, ...waiting } = runtime
      const client = createClient({ ...optionsFor(world, app), runtime: waiting })
      await client.authorization.complete(await callback(world, app, [CURRENT]), pendingOf(app))
      const call = client.me({ signal: abort.signal })
      setTimeout(() => abort.abort(new Error("enough")), 50)
      await expect(call).rejects.toThrow("enough")
    })
  })

  it("waits longer from retry to retry when there is no answer, and says in the end that there was none", async () => {
    let isOut = false
    const { client, runtime } = await connectedClient(world, app, [CURRENT], (_, pass) => (isOut ? refusing() : pass()))
    isOut = true
    expect(await failure(client.me())).toMatchObject({ code: "network", status: undefined })
    expect(runtime.waits).toEqual([375, 750])
  })

  it("a proxy's page in place of an answer is no answer of the service", async () => {
    const { client } = await connectedClient(world, app, [CURRENT], ({ path }, pass) =>
      path === "/v1/me" ? Promise.resolve(new Response("<h1>Login</h1>", { status: 404 })) : pass()
    )
    expect(await failure(client.me())).toMatchObject({ code: "unexpected_answer", status: 404 })
  })

  it.each([
    ["a page", () => new Response("<h1>Log in to the Wi-Fi</h1>")],
    ["text in JSON", () => Response.json("welcome")],
    ["a list", () => Response.json([])],
    ["nothing", () => new Response("")]
  ])("%s with status 200 is no answer of the service: every call fails, and none succeeds by it", async (_, answer) => {
    let isBehindPortal = false
    const { client } = await connectedClient(world, app, [RULES, CURRENT], (_, pass) =>
      isBehindPortal ? Promise.resolve(answer()) : pass()
    )
    isBehindPortal = true
    const calls = [
      client.me(),
      client.answers.currentPlace(),
      client.visits().page(),
      client.placeRules.create({ type: "enter", place_id: app.placeId }),
      client.authorization.metadata(),
      client.testPeople.list(),
      client.placeRules.remove("rul_1"),
      client.zoneRules.remove("rul_1"),
      client.subscriptions.remove("sub_1"),
      client.testPeople.remove("tpr_1")
    ]
    for (const call of calls) expect(await failure(call)).toMatchObject({ code: "unexpected_answer", status: 200 })
  })

  it("a page with status 200 or 404 removes nothing, also after a gateway's 502", async () => {
    let answers: Array<() => Promise<Response>> = []
    const { client } = await connectedClient(world, app, [RULES], (_, pass) => (answers.shift() ?? pass)())
    const { id } = await client.placeRules.create({ type: "enter", place_id: app.placeId })
    for (const pages of [[gateway(200)], [gateway(502), gateway(404)]]) {
      answers = pages.map((page) => () => page)
      expect(await failure(client.placeRules.remove(id))).toMatchObject({ code: "unexpected_answer" })
    }
    const { rules } = await client.placeRules.list({ limit: 100 }).page()
    expect(rules.map((rule) => rule.id)).toContain(id)
  })

  it("a service that takes too long: timeout", async () => {
    const { client } = await connectedClient(world, app, [CURRENT])
    const never = runtimeOn(
      world,
      ({ init }) =>
        new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
    )
    const store = {
      read: async () => ({
        access_token: "a",
        refresh_token: "r",
        expires_at: world.clock.now() + 1e9,
        scope: "",
        sub: ""
      }),
      write: async () => {},
      locked: <A>(work: () => Promise<A>) => work()
    }
    const slow = createClient({ ...optionsFor(world, app), store, runtime: never, timeoutMs: 20, retries: 0 })
    expect(await failure(slow.me())).toMatchObject({ code: "timeout" })
    await client.me()
  })
})

describe("the way to the consent page and back", () => {
  const client = createClient({
    baseUrl: "https://places.example/",
    clientId: "app_1",
    issuer: "https://places.example"
  })
  const request = {
    redirectUri: "https://app.example/back",
    scopes: [CURRENT, RULES] as const,
    externalUserId: "user 7"
  }

  it("has a new state and verifier each time, and the S256 challenge of the verifier", async () => {
    const { pending, url } = await client.authorization.start(request)
    const { searchParams, origin, pathname } = new URL(url)
    expect(origin + pathname).toBe("https://places.example/authorize")
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(pending.codeVerifier))
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: "code",
      client_id: "app_1",
      redirect_uri: request.redirectUri,
      scope: `${CURRENT} ${RULES}`,
      state: pending.state,
      code_challenge: Buffer.from(hash).toString("base64url"),
      code_challenge_method: "S256",
      external_user_id: "user 7"
    })
    expect(pending.codeVerifier).toMatch(/^[\w-]{43}$/)
    const other = await client.authorization.start(request)
    expect(new Set([pending.state, pending.codeVerifier, other.pending.state, other.pending.codeVerifier]).size).toBe(4)
  })

  const pending = { state: "right", codeVerifier: "v".repeat(43), redirectUri: request.redirectUri }
  it.each([
    ["another state", "state=wrong&code=c", "callback_mismatch"],
    ["no state", "code=c", "callback_mismatch"],
    ["the error of another sign-in", "error=access_denied&state=wrong", "callback_mismatch"],
    ["another issuer", "state=right&code=c&iss=https://evil.example", "callback_mismatch"],
    ["no issuer", "state=right&code=c", "callback_mismatch"],
    ["an error and no issuer", "state=right&error=access_denied", "callback_mismatch"],
    ["no code", "state=right&iss=https://places.example", "callback_mismatch"],
    ["a refusal", "state=right&error=access_denied&iss=https://places.example", "access_denied"]
  ])("nothing is exchanged when the user comes back with %s [O3]", async (_, query, code) => {
    const call = client.authorization.complete(`${request.redirectUri}?${query}`, pending)
    expect(await failure(call)).toMatchObject({ code })
  })

  it("the code is exchanged when the service comes back with its issuer [O3]", async () => {
    const world = await startWorld()
    try {
      const app = await connected(world)
      const issued = createClient({ ...optionsFor(world, app), issuer: world.url })
      const back = new URL(await callback(world, app, [CURRENT]))
      back.searchParams.set("iss", world.url)
      expect((await issued.authorization.complete(back, pendingOf(app))).scopes).toEqual([CURRENT])
    } finally {
      await world.close()
    }
  })
})
