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

const NEW = "purple monkey dishwasher"
const SUBJECT = "Set a new password"

const post = (path: string, body: unknown) => world.call(path, { ...jsonBody(body), method: "POST" })
const signIn = (email: string, password: string) => post("/v1/session", { email, password })

describe("PUT /v1/user/account/password [accounts-10]", () => {
  const change = (person: Awaited<ReturnType<World["person"]>>, body: unknown) =>
    person.send("PUT", "/v1/user/account/password", body)

  it("204: the session that asked stays, the others end, and the owner gets a mail", async () => {
    const person = await world.person()
    const { email } = person.account
    const other = await signIn(email, PASSWORD)
    const cookie = other.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const elsewhere = () => world.call("/v1/session", { headers: { cookie } })
    expect((await elsewhere()).status).toBe(200)
    const answer = await change(person, { password: PASSWORD, new_password: NEW })
    expect([answer.status, answer.text]).toEqual([204, ""])
    expect((await elsewhere()).status).toBe(401)
    expect((await person.get("/v1/session")).status).toBe(200)
    expect((await signIn(email, PASSWORD)).status).toBe(401)
    expect((await signIn(email, NEW)).status).toBe(201)
    expect((await mailTo(world, email)).map(({ subject }) => subject)).toEqual(["Your password was changed"])
  })

  it("403 for a wrong password, 429 after five, and nothing changes", async () => {
    const person = await world.person()
    for (let count = 0; count < 5; count++) {
      expect((await change(person, { password: "not this one", new_password: NEW })).json).toMatchObject({
        statusCode: 403,
        message: "The password is wrong"
      })
    }
    const closed = await change(person, { password: PASSWORD, new_password: NEW })
    expect([closed.status, Number(closed.headers.get("retry-after")) > 0]).toEqual([429, true])
  })

  it.each([
    ["password123", "new_password is one of the passwords that attackers try first"],
    ["too short", "new_password must be at least 10 characters"]
  ])("400 for the new password %s [accounts-7]", async (password, message) => {
    const person = await world.person()
    const { json, status } = await change(person, { password: PASSWORD, new_password: password })
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining(message)])
    expect((await signIn(person.account.email, PASSWORD)).status).toBe(201)
  })

  it("403 from another site's page, 401 without a session [A3]", async () => {
    const person = await world.person()
    const body = { password: PASSWORD, new_password: NEW }
    const foreign = await person.send("PUT", "/v1/user/account/password", body, {
      headers: { origin: "https://evil.example" }
    })
    expect(foreign.status).toBe(403)
    const init = jsonBody(body)
    expect((await world.call("/v1/user/account/password", { ...init, method: "PUT" })).status).toBe(401)
    expect((await signIn(person.account.email, PASSWORD)).status).toBe(201)
  })
})

describe("POST /v1/password-resets [accounts-9]", () => {
  it("the answer is the same for an address with an account and for one without", async () => {
    const person = await world.person()
    const [known, unknown] = [
      await post("/v1/password-resets", { email: person.account.email }),
      await post("/v1/password-resets", { email: "nobody@example.com" })
    ]
    const shown = ({ headers, status, text }: typeof known) => [
      status,
      text,
      [...headers].map(([name]) => name).filter((name) => !name.startsWith("ratelimit"))
    ]
    expect(known.status).toBe(202)
    expect(shown(unknown)).toEqual(shown(known))
    expect(await mailedLink(world, person.account.email, SUBJECT)).toContain(`${world.url}/reset-password?token=`)
    expect(await mailTo(world, "nobody@example.com")).toEqual([])
  })

  it("the mailed link sets a password once, ends every session, and signs nobody in", async () => {
    const person = await world.person()
    await post("/v1/password-resets", { email: person.account.email })
    const token = tokenOf(await mailedLink(world, person.account.email, SUBJECT))
    const common = await post("/v1/password-resets/use", { token, password: "password123" })
    expect([common.status, common.text.includes(token)]).toEqual([400, false])
    const used = await post("/v1/password-resets/use", { token, password: NEW })
    const cookies = used.headers.getSetCookie().map((cookie) => cookie.slice(0, cookie.indexOf("=")))
    // The answer makes the browser known to the account (accounts-14), and gives it no session.
    expect([used.status, cookies]).toEqual([204, ["browser"]])
    expect((await person.get("/v1/session")).status).toBe(401)
    expect((await signIn(person.account.email, NEW)).status).toBe(201)
    const repeated = await post("/v1/password-resets/use", { token, password: PASSWORD })
    const never = await post("/v1/password-resets/use", { token: "0".repeat(52), password: PASSWORD })
    expect([repeated.status, repeated.json]).toEqual([404, never.json])
  })

  it("thirty in ten minutes from one address, then 429; no token is in the log", async () => {
    const busy = await startWorld()
    try {
      const statuses: Array<number> = []
      for (let count = 0; count < 31; count++) {
        const init = jsonBody({ email: `somebody${count}@example.com` })
        statuses.push((await busy.call("/v1/password-resets", { ...init, method: "POST" })).status)
      }
      expect(statuses).toEqual([...Array.from({ length: 30 }, () => 202), 429])
      const person = await busy.person()
      busy.clock.advance(10 * 60_000)
      await busy.call("/v1/password-resets", { ...jsonBody({ email: person.account.email }), method: "POST" })
      const address = await mailedLink(busy, person.account.email, SUBJECT)
      expect((await busy.call(address.slice(busy.url.length))).status).toBe(200)
      expect(busy.log.filter((line) => line.includes(tokenOf(address)))).toEqual([])
    } finally {
      await busy.close()
    }
  })
})

describe("the pages for a new password", () => {
  it("say the same whether or not the address has an account", async () => {
    const person = await world.person()
    const browser = visitor(world.url)
    const ask = async (email: string) => {
      const answer = await browser.submit(await browser.get("/forgot-password"), "/forgot-password", { email })
      return [answer.status, answer.text.replaceAll(email, "…")]
    }
    expect(await ask(person.account.email)).toEqual(await ask("nobody@example.com"))
  })

  it("lead back to the app's request by a sign-in, and to no other site", async () => {
    const linkOf = async (returnTo: string) => {
      const browser = visitor(world.url)
      const page = await browser.get(`/forgot-password?return_to=${encodeURIComponent(returnTo)}`)
      const { text } = await browser.submit(page, "/forgot-password", { email: "nobody@example.com" })
      return /<main[\s\S]*href="(\/sign-in[^"]*)"/.exec(text)?.[1]
    }
    const request = "/authorize?client_id=app_1&state=s"
    expect(await linkOf(request)).toBe(`/sign-in?return_to=${encodeURIComponent(request)}`)
    expect([await linkOf("/"), await linkOf("https://evil.example/")]).toEqual([undefined, undefined])
  })

  it("need the form's token: another site cannot make a browser ask or set [A3]", async () => {
    const person = await world.person()
    const browser = visitor(world.url)
    await browser.get("/forgot-password")
    expect((await browser.post("/forgot-password", { email: person.account.email })).status).toBe(403)
    const page = await browser.get("/forgot-password")
    const fields = { ...hidden(page, "/forgot-password"), email: person.account.email }
    expect((await browser.post("/forgot-password", fields, { origin: "https://evil.example" })).status).toBe(403)
    expect(await mailTo(world, person.account.email)).toEqual([])
  })

  it("a link that is used up makes no browser known, not even with the right password [accounts-21]", async () => {
    const username = (await world.person()).account.email
    const browser = visitor(world.url)
    await browser.submit(await browser.get("/forgot-password"), "/forgot-password", { email: username })
    const page = await browser.get((await mailedLink(world, username, SUBJECT)).slice(world.url.length))
    const press = async (password: string) => {
      const { headers, status } = await browser.submit(page, "/reset-password", { username, password })
      return [status, headers.getSetCookie().length]
    }
    expect([await press(NEW), await press(NEW)]).toEqual([
      [200, 1],
      [404, 0]
    ])
  })

  it("opening the link any number of times uses nothing up; a refused password neither", async () => {
    const person = await world.person()
    const browser = visitor(world.url)
    await browser.submit(await browser.get("/forgot-password"), "/forgot-password", { email: person.account.email })
    const path = (await mailedLink(world, person.account.email, SUBJECT)).slice(world.url.length)
    for (let count = 0; count < 3; count++) expect((await browser.get(path)).status).toBe(200)
    const page = await browser.get(path)
    const refused = await browser.submit(page, "/reset-password", { password: "password123" })
    expect([refused.status, refused.text.includes("attackers try first")]).toEqual([400, true])
    const set = await browser.submit(refused, "/reset-password", { password: NEW })
    expect([set.status, set.text.includes("It is strong")]).toEqual([200, true])
    expect((await browser.submit(page, "/reset-password", { password: NEW })).status).toBe(404)
    expect((await browser.get(path)).status).toBe(404)
    expect((await browser.get("/reset-password?token=x")).status).toBe(404)
  })
})
