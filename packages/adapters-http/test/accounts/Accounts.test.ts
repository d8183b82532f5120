import { Account, AccountStore } from "@place-access/domain/accounts"
import { requestSignUp } from "@place-access/domain/credentials"
import { getHistoryChoice } from "@place-access/domain/retention-choice"
import { Timestamp, type UserId } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mailedLink, mailTo, tokenOf } from "../support/mailbox.js"
import { hidden, visitor } from "../support/visitor.js"
import { jsonBody } from "../support/wire.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const CANARY = "canary-5f1d"
let count = 0
const freshEmail = () => `person${count++}@example.com`

const post = (path: string, body: unknown, headers: Record<string, string> = {}, on = world) => {
  const init = jsonBody(body)
  return on.call(path, { ...init, method: "POST", headers: { ...init.headers, ...headers } })
}

const setCookies = (answer: { readonly headers: Headers }) => answer.headers.getSetCookie()
const cookieOf = (answer: { readonly headers: Headers }) => setCookies(answer)[0]?.split(";")[0] ?? ""

describe("POST /v1/accounts", () => {
  it("201 with the account; a plain user, not signed in yet", async () => {
    const email = freshEmail()
    const answer = await post("/v1/accounts", {
      email: `  ${email.toUpperCase()} `,
      password: PASSWORD,
      display_name: " Ada "
    })
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^usr_/),
      email,
      display_name: "Ada",
      roles: [],
      email_confirmed: false,
      time_zone: null,
      language: null
    })
    expect(setCookies(answer)).toEqual([])
    expect(answer.text).not.toContain(PASSWORD)
  })

  it.each([[{}], [{ display_name: null }]])("the name may be left out: %j", async (more) => {
    const answer = await post("/v1/accounts", { email: `x${freshEmail()}`, password: PASSWORD, ...more })
    expect(answer.json).toMatchObject({ display_name: expect.stringMatching(/^xperson\d+$/) })
  })

  it.each([
    [{}, null],
    [{ keep_days: null }, null],
    [{ keep_days: 30 }, 30],
    [{ keep_days: 365 }, 365]
  ])("offers the choice of how long history is kept: %j [M3-offered]", async (more, keep) => {
    const answer = await post("/v1/accounts", { email: freshEmail(), password: PASSWORD, ...more })
    const { id } = answer.json as { readonly id: UserId }
    expect(await world.run(getHistoryChoice(id))).toMatchObject({ keep })
  })

  it("a taken e-mail is 409 conflict, in whatever case", async () => {
    const email = freshEmail()
    await post("/v1/accounts", { email, password: PASSWORD })
    const answer = await post("/v1/accounts", { email: email.toUpperCase(), password: PASSWORD })
    expect([answer.status, answer.json]).toEqual([
      409,
      { statusCode: 409, error: "conflict", message: "the e-mail address is taken" }
    ])
  })

  it("every problem at once, by field, without the values", async () => {
    const answer = await post("/v1/accounts", { email: CANARY, password: "short", display_name: "\u202e" + CANARY })
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({
      statusCode: 400,
      error: "validation_failed",
      message: [
        "email must be an e-mail address",
        "password must be at least 10 characters",
        "display_name must be one line of text without control characters"
      ]
    })
    expect(answer.text).not.toContain(CANARY)
  })

  it.each([
    ["no field", {}, ["email is missing", "password is missing"]],
    ["wrong types", { email: 1, password: [CANARY] }, ["email must be a string", "password must be a string"]],
    ["no object", [CANARY], "the body must be an object"]
  ])("%s: 400 validation_failed", async (_, body, message) => {
    const answer = await post("/v1/accounts", body)
    expect(answer.json).toEqual({ statusCode: 400, error: "validation_failed", message })
  })

  it("roles and ids that are sent along are ignored", async () => {
    const answer = await post("/v1/accounts", {
      email: freshEmail(),
      password: PASSWORD,
      roles: ["admin"],
      id: "usr_1"
    })
    expect(answer.json).toMatchObject({ roles: [] })
    expect(answer.json).not.toMatchObject({ id: "usr_1" })
  })

  it("SIGN_UP=closed: 403 forbidden, and nobody is made [accounts-1]", async () => {
    const closed = await startWorld({ signUp: "closed" })
    const email = freshEmail()
    const answer = await post("/v1/accounts", { email, password: PASSWORD }, {}, closed)
    expect([answer.status, answer.json]).toEqual([
      403,
      { statusCode: 403, error: "forbidden", message: "sign-up is closed" }
    ])
    const found = await closed.run(
      Effect.flatMap(AccountStore, (store) => store.findByEmail(Account.Email.make(email)))
    )
    expect(found).toEqual(Option.none())
    await closed.close()
  })

  it("SIGN_UP=closed: no new link for a sign-up that waits, with the usual answer; the old link works [accounts-1]", async () => {
    const closed = await startWorld({ signUp: "closed", addressRule: "confirmed" })
    const email = freshEmail()
    const person = { email: Account.Email.make(email), password: Account.Password.make(PASSWORD) }
    // The person signed up before the operator closed sign-up.
    await closed.run(requestSignUp({ ...person, address: "192.0.2.1" }, "open"))
    closed.clock.advance(Timestamp.DAY - 1)
    const repeated = await post("/v1/accounts/confirmations", { email }, {}, closed)
    expect([repeated.status, repeated.text]).toEqual([202, ""])
    const browser = visitor(closed.url)
    const form = hidden(await browser.get("/sign-in"), "/sign-in")
    const page = await browser.post("/sign-up/resend", { form_token: form["form_token"] ?? "", email })
    expect([page.status, page.text.includes("the link is on its way again")]).toEqual([200, true])
    expect(await mailTo(closed, email)).toHaveLength(1)
    const token = tokenOf(await mailedLink(closed, email, "Confirm your e-mail address"))
    const made = await post("/v1/accounts/confirmations/use", { token, password: PASSWORD }, {}, closed)
    expect([made.status, made.json]).toEqual([201, expect.objectContaining({ email })])
    await closed.close()
  })
})

describe("POST /v1/session", () => {
  it("201 with the account and a cookie that scripts cannot read and other sites do not send", async () => {
    const { account } = await world.person()
    const answer = await post("/v1/session", { email: account.email, password: PASSWORD })
    expect([answer.status, answer.json]).toEqual([
      201,
      {
        id: account.id,
        email: account.email,
        display_name: account.displayName,
        roles: [],
        email_confirmed: true,
        time_zone: null,
        language: null
      }
    ])
    const [cookie, ...others] = setCookies(answer)
    // The second cookie makes the browser known to the account, and signs nobody in.
    expect(others.map((one) => one.slice(0, one.indexOf("=")))).toEqual(["browser"])
    expect(cookie).toMatch(/^session=[0-9a-z]{52}; /)
    expect(cookie?.split("; ").slice(1).sort()).toEqual(["HttpOnly", "Path=/", "SameSite=Lax"])
    expect(answer.headers.get("cache-control")).toBe("no-store")
  })

  it("over https the cookie is __Host- and Secure", async () => {
    const secure = await startWorld({
      baseUrl: "https://api.example.com",
      authUrl: "https://api.example.com",
      userPortalUrl: "https://api.example.com/portal"
    })
    const { account } = await secure.person()
    const answer = await post("/v1/session", { email: account.email, password: PASSWORD }, {}, secure)
    const [cookie] = setCookies(answer)
    expect(cookie).toMatch(/^__Host-session=[0-9a-z]{52}; /)
    expect(cookie?.split("; ").slice(1).sort()).toEqual(["HttpOnly", "Path=/", "SameSite=Lax", "Secure"])
    const who = await secure.call("/v1/session", { headers: { cookie: cookieOf(answer) } })
    expect(who.status).toBe(200)
    const plain = await secure.call("/v1/session", { headers: { cookie: cookieOf(answer).replace("__Host-", "") } })
    expect(plain.status).toBe(401)
    await secure.close()
  })

  it("a wrong password and an unknown e-mail get one and the same 401 [accounts-4]", async () => {
    const { account } = await world.person()
    const wrong = await post("/v1/session", { email: account.email, password: CANARY })
    const unknown = await post("/v1/session", { email: freshEmail(), password: CANARY })
    expect([wrong.status, wrong.text]).toEqual([401, unknown.text])
    expect(wrong.json).toEqual({ statusCode: 401, error: "not_signed_in", message: "E-mail or password is wrong" })
    expect(setCookies(wrong)).toEqual([])
    expect([...wrong.headers.keys()].sort()).toEqual([...unknown.headers.keys()].sort())
  })

  it("after five failures 429 rate_limited with Retry-After, for the right password too, until 15 minutes have passed", async () => {
    const { account } = await world.person()
    const right = { email: account.email, password: PASSWORD }
    for (let tried = 0; tried < 5; tried++) {
      expect((await post("/v1/session", { ...right, password: "wrong" })).status).toBe(401)
    }
    world.clock.advance(1)
    const refused = await post("/v1/session", right)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"])
    expect(refused.json).toMatchObject({ statusCode: 429, error: "rate_limited" })
    world.clock.advance(899_998)
    const late = await post("/v1/session", right)
    expect([late.status, late.headers.get("retry-after")]).toEqual([429, "1"])
    world.clock.advance(1)
    expect((await post("/v1/session", right)).status).toBe(201)
  })

  it("the address counts too, and without a trusted proxy nobody can claim another", async () => {
    const fresh = await startWorld()
    const { account } = await fresh.person()
    const from = (n: number) => ({ "x-forwarded-for": `203.0.113.${n}` })
    for (let tried = 0; tried < 50; tried++) {
      expect((await post("/v1/session", { email: freshEmail(), password: "wrong" }, from(tried), fresh)).status).toBe(
        401
      )
    }
    const right = { email: account.email, password: PASSWORD }
    expect((await post("/v1/session", right, from(99), fresh)).status).toBe(429)
    await fresh.close()
  })

  it("behind a trusted proxy the address is the one that the proxy wrote", async () => {
    const fresh = await startWorld({ trustProxy: true })
    const { account } = await fresh.person()
    const from = (n: number) => ({ "x-forwarded-for": `198.51.100.1, 203.0.113.${n}` })
    for (let tried = 0; tried < 50; tried++) {
      await post("/v1/session", { email: freshEmail(), password: "wrong" }, from(1), fresh)
    }
    const right = { email: account.email, password: PASSWORD }
    expect((await post("/v1/session", right, from(1), fresh)).status).toBe(429)
    expect((await post("/v1/session", right, from(2), fresh)).status).toBe(201)
    await fresh.close()
  })

  it("the session that the browser had ends: a cookie planted before sign-in never becomes one", async () => {
    const [planted, { account }] = [await world.person(), await world.person()]
    const body = { email: account.email, password: PASSWORD }
    const answer = await post("/v1/session", body, { cookie: planted.cookie })
    expect(cookieOf(answer)).not.toBe(planted.cookie)
    expect((await planted.get("/v1/session")).status).toBe(401)
    const who = await world.call("/v1/session", { headers: { cookie: cookieOf(answer) } })
    expect(who.json).toMatchObject({ id: account.id })
  })

  it("another site's page cannot sign a browser in", async () => {
    const { account } = await world.person()
    const body = { email: account.email, password: PASSWORD }
    for (const origin of ["https://evil.example", "null"]) {
      const answer = await post("/v1/session", body, { origin })
      expect([answer.status, setCookies(answer)]).toEqual([403, []])
    }
    expect((await post("/v1/session", body, { origin: world.url })).status).toBe(201)
    const form = await world.call("/v1/session", { method: "POST", body: new URLSearchParams(body) })
    expect(form.status).toBe(415)
  })

  it("a password is never logged", async () => {
    const { account } = await world.person()
    await post("/v1/session", { email: account.email, password: CANARY })
    expect(world.log.join("\n")).not.toContain(CANARY)
  })
})

describe("GET and DELETE /v1/session", () => {
  it("who am I; 401 not_signed_in for nobody, a made-up cookie and an ended session", async () => {
    const person = await world.person({ roles: ["developer"] })
    expect((await person.get("/v1/session")).json).toMatchObject({ id: person.account.id, roles: ["developer"] })
    for (const cookie of ["", "session=", `session=${"x".repeat(52)}`, "session=%00", "other=1"]) {
      const answer = await world.call("/v1/session", { headers: { cookie } })
      expect([answer.status, answer.json]).toEqual([401, expect.objectContaining({ error: "not_signed_in" })])
    }
  })

  it("sign-out: 204, the cookie is taken away and works nowhere any more; again is 204 too", async () => {
    const person = await world.person()
    const answer = await person.send("DELETE", "/v1/session")
    expect([answer.status, answer.text]).toEqual([204, ""])
    expect(setCookies(answer)).toEqual([expect.stringMatching(/^session=; Max-Age=0;/)])
    expect((await person.get("/v1/session")).status).toBe(401)
    expect((await person.send("DELETE", "/v1/session")).status).toBe(204)
    expect((await world.call("/v1/session", { method: "DELETE" })).status).toBe(204)
  })

  it.each(["https://evil.example", "null"])("another site (%s) cannot sign a browser out [A3]", async (origin) => {
    const person = await world.person()
    expect((await person.send("DELETE", "/v1/session", undefined, { headers: { origin } })).status).toBe(403)
    expect((await person.get("/v1/session")).status).toBe(200)
    const without = await world.call("/v1/session", { method: "DELETE", headers: { cookie: person.cookie } })
    expect(without.status).toBe(403)
  })

  it("the session ends by itself 14 days after its last use, and 30 days after the sign-in [accounts-6]", async () => {
    const [person, idle] = [await world.person(), await world.person()]
    const pass = async (millis: number) => {
      world.clock.advance(millis)
      return (await person.get("/v1/session")).status
    }
    const [day, fortnight] = [86_400_000, 14 * 86_400_000]
    expect(await pass(fortnight - 1)).toBe(200)
    world.clock.advance(1)
    expect((await idle.get("/v1/session")).status).toBe(401)
    expect(await pass(fortnight - 2)).toBe(200)
    expect(await pass(2 * day + 1)).toBe(200)
    expect(await pass(1)).toBe(401)
  })
})
