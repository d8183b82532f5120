import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, consentAction, signedIn } from "../support/browsing.js"
import { hidden, visitor } from "../support/visitor.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe("sessions", () => {
  it("a form posted after the session ended leads through sign-in back to its page", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const browser = await signedIn(world, person.account.email)
    const action = consentAction((await browser.get(authorizePath(app))).text)
    browser.cookies.delete("session")
    const answer = await browser.post(action, { decision: "allow" }, { referer: world.url + action })
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/sign-in?return_to=${encodeURIComponent(`${action}?done=choose-again`)}`
    ])
    const places = `${world.url}/portal/places?done=place-archived`
    const archived = await browser.post("/portal/places/plc_1/archive", {}, { referer: places })
    const back = encodeURIComponent("/portal/places?done=choose-again")
    expect(archived.headers.get("location")).toBe(`/sign-in?return_to=${back}`)
    const forged = await browser.post("/portal/places", {}, { referer: "https://evil.example//evil.example" })
    expect(forged.headers.get("location")).toBe("/sign-in")
  })

  it.each([
    ["is too long to return to", "é".repeat(512)],
    ["has a backslash", "state\\of the app"]
  ])("the consent page comes back, also when the address of the app %s [accounts-17]", async (_, state) => {
    const person = await world.person()
    const { app } = await world.app(person)
    const browser = await signedIn(world, person.account.email)
    // A browser sends a backslash in a query without encoding it.
    const path = authorizePath(app, { state }).replaceAll("%5C", "\\")
    const page = await browser.get(path)
    const action = consentAction(page.text)
    const fields = { ...hidden(page, action), decision: "allow", scope: "location.latest.read", standard_days: "never" }
    const send = () => browser.post(action, fields, { referer: world.url + path })
    const back = encodeURIComponent(`${action}?done=choose-again`)
    world.clock.advance(16 * 60_000)
    expect((await send()).headers.get("location")).toBe(`/confirm?return_to=${back}`)
    world.clock.advance(-16 * 60_000)
    browser.cookies.delete("session")
    expect((await send()).headers.get("location")).toBe(`/sign-in?return_to=${back}`)
  })

  it("signing in makes a new session and ends the one before; a planted cookie never becomes one", async () => {
    const person = await world.person()
    const browser = visitor(world.url)
    const planted = "0".repeat(52)
    browser.cookies.set("session", planted)
    const credentials = { email: person.account.email, password: PASSWORD }
    await browser.submit(await browser.get("/sign-in"), "/sign-in", credentials)
    const first = browser.cookies.get("session")
    expect(first).not.toBe(planted)
    await browser.submit(await browser.get("/sign-in"), "/sign-in", credentials)
    const second = browser.cookies.get("session")
    expect(second).not.toBe(first)
    for (const [cookie, status] of [
      [planted, 303],
      [first, 303],
      [second, 200]
    ] as const) {
      const other = visitor(world.url)
      other.cookies.set("session", cookie ?? "")
      expect((await other.get("/portal/connections")).status).toBe(status)
    }
    const page = await browser.get("/portal/connections")
    const out = await browser.submit(page, "/sign-out")
    expect([out.status, browser.cookies.has("session")]).toEqual([303, false])
    const stolen = visitor(world.url)
    stolen.cookies.set("session", second ?? "")
    expect((await stolen.get("/portal/connections")).status).toBe(303)
  })

  it("two people sign in with one browser in turn: strangers who guess lock neither out of it [accounts-14]", async () => {
    const people = [await world.person(), await world.person()].map(({ account }) => account.email)
    const browser = visitor(world.url)
    const signIn = async (as: ReturnType<typeof visitor>, email: string, password: string) =>
      (await as.submit(await as.get("/sign-in"), "/sign-in", { email, password })).status
    for (const email of people) expect(await signIn(browser, email, PASSWORD)).toBe(303)
    const stranger = visitor(world.url)
    for (const email of people) {
      for (let tries = 0; tries < 5; tries++) expect(await signIn(stranger, email, "not this one")).toBe(401)
      expect(await signIn(stranger, email, PASSWORD)).toBe(429)
      expect(await signIn(browser, email, PASSWORD)).toBe(303)
    }
  })

  it("five wrong passwords close the door for a while: 429 with Retry-After", async () => {
    const person = await world.person()
    const browser = visitor(world.url)
    const wrong = { email: person.account.email, password: "not this one" }
    const page = await browser.get("/sign-in")
    for (let tries = 0; tries < 5; tries++) expect((await browser.submit(page, "/sign-in", wrong)).status).toBe(401)
    const closed = await browser.submit(page, "/sign-in", { ...wrong, password: PASSWORD })
    expect(closed.status).toBe(429)
    expect(Number(closed.headers.get("retry-after"))).toBeGreaterThan(0)
    world.clock.advance(15 * 60_000)
    expect((await browser.submit(page, "/sign-in", { ...wrong, password: PASSWORD })).status).toBe(303)
    world.clock.advance(-15 * 60_000)
  })
})

describe("behind https", () => {
  it("cookies are __Host-, Secure, HttpOnly and Lax; transport security is strict", async () => {
    const secure = await startWorld({
      baseUrl: "https://api.example.com",
      authUrl: "https://api.example.com",
      userPortalUrl: "https://api.example.com/portal"
    })
    try {
      const person = await secure.person()
      const browser = visitor(secure.url, "https://api.example.com")
      const page = await browser.get("/sign-in")
      expect(page.headers.get("strict-transport-security")).toContain("max-age=63072000")
      const answer = await browser.submit(page, "/sign-in", { email: person.account.email, password: PASSWORD })
      const attributes = ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"]
      for (const [response, name] of [
        [page, "__Host-visitor"],
        [answer, "__Host-session"]
      ] as const) {
        const [cookie = "", ...rest] = response.headers.getSetCookie()
        expect(cookie.startsWith(`${name}=`)).toBe(true)
        for (const other of rest) {
          expect(other.startsWith("__Host-browser=")).toBe(true)
          expect(other.split("; ").slice(1).sort()).toEqual([...attributes, "Max-Age=31536000"].sort())
        }
        expect(cookie.split("; ").slice(1).sort()).toEqual(attributes)
      }
      expect((await browser.get("/portal/connections")).status).toBe(200)
      // The service must ignore a cookie without the prefix `__Host-`, because a service on a sibling host could set
      // such a cookie.
      const plain = visitor(secure.url, "https://api.example.com")
      plain.cookies.set("session", browser.cookies.get("__Host-session") ?? "")
      expect((await plain.get("/portal/connections")).status).toBe(303)
    } finally {
      await secure.close()
    }
  })
})
