import { type ClientTokenStore, createClient, memoryTokenStore } from "@place-access/adapters-http/client"
import * as RefreshDecision from "@place-access/adapters-http/client/RefreshDecision"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { certificate } from "../../../domain/test/support/certificate.js"
import { connected, type Connected, CURRENT } from "../support/connected.js"
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
  refreshes,
  refusing,
  runtimeOn
} from "./support.js"

const HOUR = 3_600_000
const isRefresh: (request: Parameters<Meddle>[0]) => boolean = ({ init, path }) =>
  path === "/v1/oauth/token" && String(init.body).includes("grant_type=refresh_token")

describe("tokens of a connection, against the real service", () => {
  let world: World
  let app: Connected
  beforeAll(async () => {
    world = await startWorld()
    app = await connected(world)
  })
  afterAll(() => world.close())

  const isAlive = async () => (await app.connection()).endedAt === null

  it("are refreshed once when twenty calls find them ended, and no call fails", async () => {
    const { client, runtime, tokens } = await connectedClient(world, app, [CURRENT])
    const before = await tokens()
    world.clock.advance(2 * HOUR)
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.answers.currentPlace()))
    expect(answers.map(({ state }) => state)).toEqual(Array.from({ length: 20 }, () => "unknown"))
    expect(refreshes(runtime)).toBe(1)
    expect((await tokens()).refresh_token).not.toBe(before.refresh_token)
  })

  it("are refreshed once by five clients that share a store, as tabs and processes do", async () => {
    const { runtime, store } = await connectedClient(world, app, [CURRENT])
    world.clock.advance(2 * HOUR)
    const clients = Array.from({ length: 5 }, () => createClient({ ...optionsFor(world, app), store, runtime }))
    await Promise.all(clients.flatMap((client) => [client.me(), client.answers.currentPlace()]))
    expect(refreshes(runtime)).toBe(1)
    // The service repeats the answer to a refresh for 30 s. After 60 s, a second refresh with the old token would end
    // the connection, so after 60 s no client may send the old token.
    world.clock.advance(60_000)
    await Promise.all(clients.map((client) => client.me()))
    expect(await isAlive()).toBe(true)
  })

  it("are refreshed before they end, and after the service has refused one", async () => {
    const { client, runtime, store, tokens } = await connectedClient(world, app, [CURRENT])
    world.clock.advance(HOUR - RefreshDecision.MARGIN_MS - 1)
    await client.me()
    expect(refreshes(runtime)).toBe(0)
    world.clock.advance(1)
    await client.me()
    expect(refreshes(runtime)).toBe(1)
    await store.write({ ...(await tokens()), access_token: "a-token-that-is-none" })
    expect((await client.me()).scopes).toEqual([CURRENT])
    expect(refreshes(runtime)).toBe(2)
  })

  it("a refresh whose answer was lost is repeated and gets the same tokens; the connection stays [O6]", async () => {
    let lost = 0
    const { client, runtime, tokens } = await connectedClient(world, app, [CURRENT], (request, pass) =>
      isRefresh(request) && lost++ === 0 ? losingAnswer(pass) : pass()
    )
    world.clock.advance(2 * HOUR)
    await client.me()
    expect(refreshes(runtime)).toBe(2)
    expect(await tokens()).not.toHaveProperty("refreshing_since")
    world.clock.advance(2 * HOUR)
    await client.me()
    expect(await isAlive()).toBe(true)
  })

  it("a refresh whose outcome is unknown is never repeated after the service stops forgiving it", async () => {
    let isLosing = true
    const { client, runtime, store, tokens } = await connectedClient(world, app, [CURRENT], (request, pass) =>
      isLosing && isRefresh(request) ? losingAnswer(pass) : pass()
    )
    world.clock.advance(2 * HOUR)
    await expect(client.me()).rejects.toMatchObject({ code: "network" })
    expect(await tokens()).toHaveProperty("refreshing_since")
    const attempts = refreshes(runtime)
    isLosing = false
    world.clock.advance(30_000)
    // A client in another process, which knows nothing but the tokens in the store.
    const next = createClient({ ...optionsFor(world, app), store, runtime })
    await expect(client.me()).rejects.toMatchObject({ code: "refresh_uncertain" })
    await expect(next.session.refresh()).rejects.toMatchObject({ code: "refresh_uncertain" })
    expect(refreshes(runtime)).toBe(attempts)
    expect(await isAlive()).toBe(true)
    // `evenIfUncertain` sends the refresh token although it may be spent. In this test the token is spent, so the
    // service treats the second use as a theft and ends the connection.
    await expect(next.session.refresh({ evenIfUncertain: true })).rejects.toMatchObject({ code: "invalid_grant" })
    expect(await isAlive()).toBe(false)
    await expect(client.me()).rejects.toMatchObject({ code: "not_connected" })
  })

  it("a process that died in the middle of a refresh is followed by one that repeats it in time", async () => {
    const { store, tokens } = await connectedClient(world, app, [CURRENT])
    world.clock.advance(2 * HOUR)
    const before = await tokens()
    await store.write({ ...before, refreshing_since: world.clock.now() })
    // The refresh of the process that died: it reached the service, and its answer is lost.
    expect((await app.refresh(before.refresh_token)).status).toBe(200)
    world.clock.advance(RefreshDecision.REPEATABLE_MS)
    const next = createClient({ ...optionsFor(world, app), store, runtime: runtimeOn(world) })
    await next.me()
    world.clock.advance(2 * HOUR)
    await next.me()
    expect(await isAlive()).toBe(true)
  })

  it("a refresh that the service never got, or refused with 429, leaves nothing uncertain", async () => {
    let outage: "unreachable" | "busy" | "over" = "over"
    const { client, tokens } = await connectedClient(world, app, [CURRENT], (_, pass) => {
      if (outage === "over") return pass()
      return outage === "unreachable" ? refusing() : answering(429, "rate_limited")
    })
    world.clock.advance(2 * HOUR)
    outage = "unreachable"
    await expect(client.me()).rejects.toMatchObject({ code: "network" })
    outage = "busy"
    await expect(client.me()).rejects.toMatchObject({ code: "rate_limited", status: 429, retryAfterS: 5 })
    expect(await tokens()).not.toHaveProperty("refreshing_since")
    outage = "over"
    world.clock.advance(HOUR)
    await client.me()
    expect(await isAlive()).toBe(true)
  })

  it.each(["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"])(
    "a refresh without a connection, because the certificate is not valid (%s), leaves nothing uncertain",
    async (code) => {
      let isValid = true
      const { client, tokens } = await connectedClient(world, app, [CURRENT], (_, pass) =>
        isValid ? pass() : refusing(code)
      )
      world.clock.advance(2 * HOUR)
      isValid = false
      await expect(client.me()).rejects.toMatchObject({ code: "network" })
      expect(await tokens()).not.toHaveProperty("refreshing_since")
      isValid = true
      world.clock.advance(HOUR)
      expect((await client.me()).scopes).toEqual([CURRENT])
    }
  )

  it("a server whose certificate nobody has signed gets no refresh, so nothing is uncertain", async () => {
    let requests = 0
    const server = createServer(certificate("localhost"), () => requests++)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const { client, tokens } = await connectedClient(world, app, [CURRENT], (request, pass) =>
      isRefresh(request) ? fetch(`https://127.0.0.1:${port}${request.path}`, request.init) : pass()
    )
    world.clock.advance(2 * HOUR)
    await expect(client.me()).rejects.toMatchObject({ code: "network" })
    expect(await tokens()).not.toHaveProperty("refreshing_since")
    expect(requests).toBe(0)
    server.close()
  })

  it.each([
    [500, "internal_error"],
    [503, "unavailable"]
  ])(
    "a %i can follow a commit, so it leaves the refresh uncertain and its token is not sent later",
    async (...fault) => {
      let isFailing = true
      const { client, runtime, tokens } = await connectedClient(world, app, [CURRENT], async (request, pass) => {
        if (!isFailing || !isRefresh(request)) return pass()
        // The service spends the token, and then answers with an error, as when it loses its database just before the
        // answer.
        await (await pass()).text()
        return answering(...fault)
      })
      world.clock.advance(2 * HOUR)
      await expect(client.me()).rejects.toMatchObject({ code: fault[1], status: fault[0], retryAfterS: 5 })
      expect(await tokens()).toHaveProperty("refreshing_since")
      const attempts = refreshes(runtime)
      isFailing = false
      world.clock.advance(30_000)
      await expect(client.me()).rejects.toMatchObject({ code: "refresh_uncertain" })
      expect(refreshes(runtime)).toBe(attempts)
      expect(await isAlive()).toBe(true)
    }
  )

  it("a suspension spends no refresh token: after it the calls work again, and nobody has to reconnect [§7-on-hold, staff-1]", async () => {
    const admin = await world.person({ roles: ["admin"] })
    const account = `/v1/admin/accounts/${app.person.account.id}`
    const { client, tokens } = await connectedClient(world, app, [CURRENT])
    world.clock.advance(2 * HOUR)
    await admin.send("POST", `${account}/suspend`)
    await expect(client.me()).rejects.toMatchObject({ code: "connection_on_hold", status: 503, retryAfterS: 3_600 })
    expect(await tokens()).not.toHaveProperty("refreshing_since")
    world.clock.advance(3 * HOUR)
    await admin.send("POST", `${account}/resume`)
    expect((await client.me()).scopes).toEqual([CURRENT])
  })

  it("a refresh that was answered with 503 is repeated by the next call, while the service forgives it", async () => {
    let isFailing = true
    const { client, tokens } = await connectedClient(world, app, [CURRENT], async (request, pass) => {
      if (!isFailing || !isRefresh(request)) return pass()
      await (await pass()).text()
      return answering(503, "unavailable")
    })
    world.clock.advance(2 * HOUR)
    await expect(client.me()).rejects.toMatchObject({ code: "unavailable" })
    isFailing = false
    await client.me()
    expect(await tokens()).not.toHaveProperty("refreshing_since")
    world.clock.advance(2 * HOUR)
    await client.me()
    expect(await isAlive()).toBe(true)
  })

  it("while the old access token works, a refresh that fails stops no call", async () => {
    let isDown = false
    const { client } = await connectedClient(world, app, [CURRENT], (request, pass) =>
      isDown && isRefresh(request) ? losingAnswer(pass) : pass()
    )
    world.clock.advance(HOUR - RefreshDecision.MARGIN_MS)
    isDown = true
    expect((await client.me()).scopes).toEqual([CURRENT])
  })

  it("an aborted call ends at once, and the refresh that it began goes on and is stored", async () => {
    const abort = new AbortController()
    let isSent = () => {}
    const sent = new Promise<void>((resolve) => (isSent = resolve))
    let goOn = () => {}
    const gate = new Promise<void>((resolve) => (goOn = resolve))
    const { client, runtime, tokens } = await connectedClient(world, app, [CURRENT], async (request, pass) => {
      if (isRefresh(request)) {
        isSent()
        await gate
      }
      return pass()
    })
    world.clock.advance(2 * HOUR)
    const before = await tokens()
    const aborted = client.me({ signal: abort.signal })
    const other = client.answers.currentPlace()
    await sent
    abort.abort(new Error("the page was left"))
    await expect(aborted).rejects.toThrow("the page was left")
    goOn()
    expect((await other).state).toBe("unknown")
    expect(refreshes(runtime)).toBe(1)
    expect((await tokens()).refresh_token).not.toBe(before.refresh_token)
  })

  it("a connection that the user has ended: invalid_grant once, and then there are no tokens", async () => {
    const { client, store } = await connectedClient(world, app, [CURRENT])
    const { id } = await app.connection()
    await app.person.send("DELETE", `/v1/user/connections/${id}`)
    await expect(client.me()).rejects.toMatchObject({ code: "invalid_grant", status: 400 })
    expect(await store.read()).toBeNull()
    await expect(client.me()).rejects.toMatchObject({ code: "not_connected" })
    expect(await client.session.connectedAs()).toBeNull()
  })

  it("disconnect ends the connection, and a second time does nothing", async () => {
    const { client, store } = await connectedClient(world, app, [CURRENT])
    await client.session.disconnect()
    await client.session.disconnect()
    expect(await store.read()).toBeNull()
    expect(await isAlive()).toBe(false)
  })

  it.each([
    ["page", 200, () => gateway(200)],
    ["empty answer with status 202", 202, () => Promise.resolve(new Response("", { status: 202 }))],
    ["empty answer with status 204", 204, () => Promise.resolve(new Response(null, { status: 204 }))]
  ])(
    "a proxy's %s ends no connection: disconnect fails, keeps the tokens, and can be repeated",
    async (_, status, answer) => {
      let isBehindPortal = true
      const { client, store } = await connectedClient(world, app, [CURRENT], ({ path }, pass) =>
        isBehindPortal && path === "/v1/oauth/revoke" ? answer() : pass()
      )
      await expect(client.session.disconnect()).rejects.toMatchObject({ code: "unexpected_answer", status })
      expect(await store.read()).not.toBeNull()
      expect(await isAlive()).toBe(true)
      isBehindPortal = false
      await client.session.disconnect()
      expect(await store.read()).toBeNull()
      expect(await isAlive()).toBe(false)
    }
  )

  it("an aborted disconnect ends at once, also while a refresh has the lock, and changes nothing", async () => {
    let isSent = () => {}
    const sent = new Promise<void>((resolve) => (isSent = resolve))
    let goOn = () => {}
    const gate = new Promise<void>((resolve) => (goOn = resolve))
    const { client, runtime } = await connectedClient(world, app, [CURRENT], async (request, pass) => {
      if (isRefresh(request)) {
        isSent()
        await gate
      }
      return pass()
    })
    const refreshed = client.session.refresh()
    await sent
    const abort = new AbortController()
    const aborted = client.session.disconnect({ signal: abort.signal })
    abort.abort(new Error("the page was left"))
    await expect(aborted).rejects.toThrow("the page was left")
    await expect(client.session.disconnect({ signal: abort.signal })).rejects.toThrow("the page was left")
    goOn()
    await refreshed
    expect((await client.me()).scopes).toEqual([CURRENT])
    expect(runtime.sent.map(({ path }) => path)).not.toContain("/v1/oauth/revoke")
  })

  it("a disconnect that is aborted after the service has answered removes the tokens and succeeds", async () => {
    const { runtime, store, tokens } = await connectedClient(world, app, [CURRENT])
    const abort = new AbortController()
    const slow: ClientTokenStore = {
      ...store,
      write: async (fresh) => {
        abort.abort(new Error("the page was left"))
        await new Promise((resolve) => setTimeout(resolve, 5))
        await store.write(fresh)
      }
    }
    expect(await tokens()).not.toBeNull()
    const client = createClient({ ...optionsFor(world, app), store: slow, runtime })
    await client.session.disconnect({ signal: abort.signal })
    expect(await store.read()).toBeNull()
    expect(await isAlive()).toBe(false)
  })

  it("a call whose signal was aborted before fails with the signal's reason, and its refresh may fail unheard", async () => {
    const { client } = await connectedClient(world, app, [CURRENT], (request, pass) =>
      isRefresh(request) ? refusing() : pass()
    )
    const unhandled: Array<unknown> = []
    const note = (error: unknown) => unhandled.push(error)
    process.on("unhandledRejection", note)
    world.clock.advance(2 * HOUR)
    await expect(client.me({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough")
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off("unhandledRejection", note)
    expect(unhandled).toEqual([])
  })

  it("an exchange whose answer was lost is repeated, and the connection lives on [tokens-1]", async () => {
    let lost = 0
    const runtime = runtimeOn(world, (_, pass) => (lost++ === 0 ? losingAnswer(pass) : pass()))
    const client = createClient({ ...optionsFor(world, app), runtime })
    const as = await client.authorization.complete(await callback(world, app, [CURRENT]), pendingOf(app))
    expect(as.scopes).toEqual([CURRENT])
    expect(runtime.sent.length).toBe(2)
    expect(await client.session.connectedAs()).toEqual(as)
    world.clock.advance(HOUR)
    await client.me()
    expect(await isAlive()).toBe(true)
  })

  it("a wrong client secret says so and keeps the tokens", async () => {
    const { store, tokens } = await connectedClient(world, app, [CURRENT])
    world.clock.advance(2 * HOUR)
    const before = await tokens()
    const wrong = createClient({ ...optionsFor(world, app), clientSecret: "wrong", store, runtime: runtimeOn(world) })
    await expect(wrong.me()).rejects.toMatchObject({ code: "invalid_client", status: 401 })
    expect(await tokens()).toEqual(before)
  })
})

describe("RefreshDecision.decide", () => {
  const tokens = { access_token: "a", refresh_token: "r", expires_at: HOUR, scope: "", sub: "" }
  const wish = { refused: null, evenIfUncertain: false }
  const tag = (...args: Parameters<typeof RefreshDecision.decide>) => RefreshDecision.decide(...args)._tag

  it("repeats an unanswered refresh for 20 seconds, the last instant included", () => {
    const begun = { ...tokens, refreshing_since: HOUR }
    expect(tag(begun, HOUR + 20_000, wish)).toBe("Refresh")
    expect(tag(begun, HOUR + 20_001, wish)).toBe("Uncertain")
    expect(tag(begun, HOUR + 20_001, { ...wish, evenIfUncertain: true })).toBe("Refresh")
  })

  it("does not believe a clock that was set back", () => {
    expect(tag({ ...tokens, refreshing_since: HOUR + 1 }, HOUR, wish)).toBe("Uncertain")
  })

  it("uses a token until a minute before its end, and never one that was refused", () => {
    expect(tag(tokens, HOUR - 60_001, wish)).toBe("Use")
    expect(tag(tokens, HOUR - 60_000, wish)).toBe("Refresh")
    expect(tag(tokens, 0, { ...wish, refused: "a" })).toBe("Refresh")
    expect(tag(null, 0, wish)).toBe("NotConnected")
  })
})

it("a store in memory gives its lock to one after the other, also after a failure", async () => {
  const store = memoryTokenStore()
  const steps: Array<string> = []
  const work = (name: string) => async () => {
    steps.push(`${name} begins`)
    await Promise.resolve()
    steps.push(`${name} ends`)
    if (name === "a") throw new Error("a failed")
  }
  await Promise.allSettled(["a", "b", "c"].map((name) => store.locked(work(name))))
  expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"])
})
