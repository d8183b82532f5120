import { Account, AccountStore } from "@place-access/domain/accounts"
import { Rate, Subject, takeCall } from "@place-access/domain/limits"
import { Vault } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { jsonBody } from "../support/wire.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

/** The network address from which the calls of a test come. */
const LOOPBACK = "127.0.0.1"

let world: World
beforeEach(async () => {
  world = await startWorld({ requestsAtOnce: 1 })
})
afterEach(() => world.close())

const signIn = (email: string, init: RequestInit = {}) => {
  const { headers, ...body } = jsonBody({ email, password: PASSWORD })
  return world.call("/v1/session", { method: "POST", ...body, headers: { ...headers, ...init.headers } })
}

const tried = (number: number, { address = "192.0.2.9", email = "nobody@example.com" }) => ({
  id: `try_${number}`,
  email: Account.Email.make(email),
  address,
  browser: null
})

/**
 * Stores `count` attempts that have no result yet. While there are enough of these attempts, further attempts pause.
 * Returns a function that removes the stored attempts, so that the paused attempts continue.
 */
const inFlight = async (count: number, of: { readonly address?: string; readonly email?: string }) => {
  const all = Array.from({ length: count }, (_, number) => tried(number, of))
  const each = (
    f: (accounts: typeof AccountStore.Service, one: (typeof all)[number]) => Effect.Effect<unknown, unknown>
  ) => world.run(Effect.flatMap(AccountStore, (accounts) => Effect.forEach(all, (one) => f(accounts, one))))
  await each((accounts, one) => accounts.admitTry(one, () => ({ _tag: "Admitted" })))
  return () => each((accounts, one) => accounts.clearTries(one))
}

/** The cookie of a known browser that an answer sets. */
const knownIn = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((one) => one.split(";")[0] ?? "")
    .find((one) => /^(?:__Host-)?browser=/.test(one)) ?? ""

const REFUSED = { statusCode: 429, error: "rate_limited" }
describe("attempts to sign in leave the other requests their places [limits-11]", () => {
  it("16 attempts at one account pause, a further one is refused at once; others are answered, and sign in", async () => {
    const [ana, ben] = [await world.person(), await world.person()]
    const end = await inFlight(5, ana.account)
    const sent = Array.from({ length: 17 }, () => signIn(ana.account.email))
    const first = await Promise.race(sent)
    expect([first.status, first.headers.get("retry-after")]).toEqual([429, "1"])
    expect(first.json).toMatchObject(REFUSED)
    expect((await ben.get("/v1/session")).status).toBe(200)
    expect((await signIn(ben.account.email)).status).toBe(201)
    await end()
    await Promise.all(sent)
    expect((await signIn(ana.account.email)).status).toBe(201)
  })

  it("64 attempts pause, a further one is refused at once; other requests are answered", async () => {
    const ana = await world.person()
    await inFlight(50, { address: LOOPBACK })
    const sent = Array.from({ length: 65 }, (_, number) => signIn(`guess${number}@example.com`))
    const first = await Promise.race(sent)
    expect([first.status, first.headers.get("retry-after")]).toEqual([429, "1"])
    expect((await ana.get("/v1/session")).status).toBe(200)
    await Promise.all(sent)
  })
})

/** Counts `count` attempts to sign in against the rate: attempts from one network address, or at one account. */
const attempts = (count: number, of: string | Account.Account, rate: Rate.Rate) =>
  world.run(
    Effect.gen(function* () {
      const { sha256 } = yield* Vault.Vault
      const name = typeof of === "string" ? of : sha256(`sign-in ${of.email}`)
      for (let n = 0; n < count; n++) yield* takeCall(Subject.signIn(name), rate)
    })
  )

describe("all attempts count, also those with the right password [limits-2]", () => {
  const QUARTER = 15 * 60_000

  it("120 at one account in 15 minutes; a browser that the account knows has a count of its own", async () => {
    const ana = await world.person()
    const { headers } = await signIn(ana.account.email)
    const cookie = knownIn(headers)
    await attempts(118, ana.account, Rate.SIGN_INS_OF_ACCOUNT)
    expect((await signIn(ana.account.email)).status).toBe(201)
    world.clock.advance(QUARTER - 1)
    const refused = await signIn(ana.account.email)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"])
    expect((await signIn(ana.account.email, { headers: { cookie } })).status).toBe(201)
    world.clock.advance(1)
    expect((await signIn(ana.account.email)).status).toBe(201)
  })

  it("600 from one network in 15 minutes; a known browser in the network still signs in", async () => {
    const [ana, ben] = [await world.person(), await world.person()]
    const { headers } = await signIn(ana.account.email)
    const cookie = knownIn(headers)
    await attempts(598, LOOPBACK, Rate.SIGN_INS)
    expect((await signIn(ben.account.email)).status).toBe(201)
    expect((await signIn(ben.account.email)).status).toBe(429)
    expect((await signIn(ana.account.email, { headers: { cookie } })).status).toBe(201)
  })

  it("a confirmation of a session counts like a sign-in", async () => {
    const ana = await world.person()
    const confirm = () => ana.send("POST", "/v1/session/confirmation", { password: PASSWORD })
    await attempts(119, ana.account, Rate.SIGN_INS_OF_ACCOUNT)
    expect((await confirm()).status).toBe(204)
    const refused = await confirm()
    expect([refused.status, refused.json]).toMatchObject([429, REFUSED])
  })
})
