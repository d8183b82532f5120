import { randomBytes } from "node:crypto"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { ConsentFlow, Fixtures, MemoryEntropy, MemoryWorkSignal, Simulation } from "@place-access/domain/testing"
import { resumeAccount, suspendAccount } from "@place-access/domain/staff"
import { AccessLogStore } from "@place-access/domain/access-log"
import { Rate } from "@place-access/domain/limits"
import { StoreError } from "@place-access/domain/shared"
import { TokenStore } from "@place-access/domain/tokens"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { tokenServer } from "./tokens.js"
import * as OwnVault from "./vault.js"

const ownVault = OwnVault.layer([{ id: "k1", bytes: randomBytes(32) }])
const stores = Simulation.memory.stores.pipe(
  Layer.provideMerge(Layer.mergeAll(ownVault, MemoryEntropy.layer, MemoryWorkSignal.layer))
)
const runtime = ManagedRuntime.make(stores)

let user: Awaited<ReturnType<typeof person>>
const person = () => runtime.runPromise(Fixtures.user)
let registered: Awaited<ReturnType<typeof register>>
const register = () => runtime.runPromise(Fixtures.registeredApp(user, { status: "production" }))
let url: string
let close = () => undefined as void

beforeAll(async () => {
  user = await person()
  registered = await register()
  const server = tokenServer(runtime, (form) =>
    form.get("client_secret") === registered.clientSecret ? registered.app : undefined
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => void server.close()
})
afterAll(async () => {
  close()
  await runtime.dispose()
})

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

const post = async (path: string, fields: Readonly<Record<string, string>>) => {
  const body = new URLSearchParams({ client_secret: registered.clientSecret, ...fields })
  const response = await fetch(url + path, { method: "POST", body })
  return { status: response.status, json: (await response.json()) as Tokens }
}

const me = async ({ access_token }: Tokens): Promise<number> =>
  (await fetch(`${url}/me`, { headers: { authorization: `Bearer ${access_token}` } })).status

/** The user approves. Returns the form with which the app's server exchanges the code. */
const approved = async (by = user) => {
  const { code } = await runtime.runPromise(ConsentFlow.approve(registered.app, by, ["location.place.current"]))
  const [redirect_uri = ""] = registered.app.redirectUris
  return { grant_type: "authorization_code", code, code_verifier: ConsentFlow.VERIFIER, redirect_uri }
}

const refresh = ({ refresh_token }: Tokens) => post("/token", { grant_type: "refresh_token", refresh_token })

it("a code is exchanged, the token opens, a refresh gives the next pair, and revoking ends all of them", async () => {
  const first = await post("/token", await approved())
  expect([first.status, await me(first.json)]).toEqual([200, 200])
  const second = await refresh(first.json)
  expect([second.status, await me(second.json)]).toEqual([200, 200])
  expect((await post("/revoke", { token: second.json.refresh_token })).status).toBe(200)
  expect([await me(first.json), await me(second.json), (await refresh(second.json)).status]).toEqual([401, 401, 400])
})

it("two servers of the app that refresh at the same time get one and the same next token", async () => {
  const { json } = await post("/token", await approved())
  const [one, other] = await Promise.all([refresh(json), refresh(json)])
  expect([one.status, one.json.refresh_token]).toEqual([200, other.json.refresh_token])
})

it("a wrong verifier, a wrong secret and a token that is none are refused", async () => {
  expect((await post("/token", { ...(await approved()), code_verifier: "x".repeat(43) })).status).toBe(400)
  expect((await post("/token", { ...(await approved()), client_secret: "wrong" })).status).toBe(401)
  expect(await me({ access_token: "none", refresh_token: "" })).toBe(401)
})

it.each([
  [StoreError.unavailable("locked"), { status: 503, json: { error: "unavailable" } }],
  [StoreError.broken("no such column"), { status: 500, json: { error: "internal_error" } }]
])("a store that fails is answered 503 when trying again may help, else 500: %s", async (failure, answer) => {
  const store = { change: () => Effect.fail(failure), findByAccessToken: () => Effect.fail(failure) }
  const failing = ManagedRuntime.make(Layer.merge(stores, Layer.succeed(TokenStore, store)))
  const server = tokenServer(failing, () => registered.app)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const statusAndJson = async (response: Response) => ({ status: response.status, json: await response.json() })
  const send = (path: string, fields: Readonly<Record<string, string>>) =>
    fetch(at + path, { method: "POST", body: new URLSearchParams(fields) }).then(statusAndJson)
  try {
    const { json } = await post("/token", await approved())
    expect(await send("/token", { grant_type: "refresh_token", refresh_token: json.refresh_token })).toEqual(answer)
    expect(await send("/revoke", { token: json.refresh_token })).toEqual(answer)
    const headers = { authorization: `Bearer ${json.access_token}` }
    expect(await fetch(`${at}/me`, { headers }).then(statusAndJson)).toEqual(answer)
  } finally {
    server.close()
    await failing.dispose()
  }
})

it("while the account is suspended, codes and tokens are on hold; afterwards they work as before [staff-1]", async () => {
  const onHold = { status: 503, json: { error: "connection_on_hold" } }
  const suspended = async <A>(work: () => Promise<A>): Promise<A> => {
    await runtime.runPromise(suspendAccount("operator", user.id))
    const answer = await work()
    await runtime.runPromise(resumeAccount("operator", user.id))
    return answer
  }
  const code = await approved()
  expect(await suspended(() => post("/token", code))).toEqual(onHold)
  const { json, status } = await post("/token", code)
  expect([status, await me(json)]).toEqual([200, 200])
  expect(await suspended(async () => [await me(json), await refresh(json)])).toEqual([503, onHold])
  expect([await me(json), (await refresh(json)).status]).toEqual([200, 200])
})

it("a call is counted and in the user's access log: beyond the rate, on hold, and with a token that has stopped working [limits-3] [limits-10]", async () => {
  const clientOf = () => registered.app
  const server = tokenServer(runtime, clientOf, Rate.perMinute(3))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const call = async ({ access_token }: Tokens) =>
    (await fetch(`${at}/me`, { headers: { authorization: `Bearer ${access_token}` } })).status
  const logged = async ({ id }: typeof user) => {
    const list = Effect.flatMap(AccessLogStore, (log) => log.list(id, {}, 10, undefined))
    const { items } = await runtime.runPromise(list)
    return items.map(({ error, status, times }) => `${status} ${error} x${times}`).sort()
  }
  try {
    const often = await person()
    const { json } = await post("/token", await approved(often))
    expect([await call(json), await call(json), await call(json), await call(json)]).toEqual([200, 200, 200, 429])
    expect(await logged(often)).toEqual(["200 null x1", "200 null x1", "200 null x1", "429 rate_limited x1"])

    const ended = await person()
    const { json: tokens } = await post("/token", await approved(ended))
    await runtime.runPromise(suspendAccount("operator", ended.id))
    expect(await call(tokens)).toBe(503)
    await runtime.runPromise(resumeAccount("operator", ended.id))
    await post("/revoke", { token: tokens.refresh_token })
    expect([await call(tokens), await call(tokens), await call(tokens)]).toEqual([401, 401, 401])
    // The call on hold counted too. So the third call with the ended token is the fourth in a minute: beyond the rate
    // of three, the log does not count it.
    expect(await logged(ended)).toEqual(["401 invalid_token x2", "503 connection_on_hold x1"])
  } finally {
    server.close()
  }
})
