import type { ConsentChoices } from "@place-access/domain/consent"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import { sharesWithoutEnd } from "@place-access/domain/consent"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, consentAction, signedIn } from "../support/browsing.js"
import { hidden, visitor } from "../support/visitor.js"
import { type Answer, jsonBody } from "../support/wire.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const QUARTER = 15 * Timestamp.MINUTE
const CURRENT = "location.place.current"
const LATEST = "location.latest.read"
const NOT_KEPT = "Nothing has changed yet. Please do it again: what you had entered or chosen was not kept."
const confirm = (person: Person, password: string) => person.send("POST", "/v1/session/confirmation", { password })
const REQUIRED = {
  statusCode: 403,
  error: "confirmation_required",
  message: "This needs a sign-in or a confirmation of the last 15 minutes; confirm this session and repeat the request"
}

/** A developer whose own app asks for exact location. */
const connecting = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const terms = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 20 } as const
  await world.run(createPurpose(person.account, app.id, { key: Purpose.PurposeKey.make("order_ahead"), terms }))
  const path = authorizePath(app, { scope: `${CURRENT} ${LATEST}` })
  return { person, path }
}

describe("a session is fresh for 15 minutes after the sign-in or a confirmation [accounts-17, accounts-18]", () => {
  it("the API: 403 at 15 minutes and not a millisecond before, until the session is confirmed", async () => {
    const { path, person } = await connecting()
    const browser = await signedIn(world, person.account.email)
    const request = async () => consentAction((await browser.get(path)).text).replace(/.*\//, "")
    const decide = async (days: number | "never", scopes: ReadonlyArray<string> = [CURRENT, LATEST]) =>
      person.send("POST", `/v1/user/consent-requests/${await request()}/decision`, {
        decision: "allow",
        scopes,
        standard_days: days
      })
    world.clock.advance(QUARTER - 1)
    expect((await decide("never")).status).toBe(200)
    world.clock.advance(1)
    const refused = await decide("never")
    expect([refused.status, refused.json]).toEqual([403, REQUIRED])
    // A consent needs the password only if it gives exact location without an end date. The first consent has an end
    // date, and the second consent has no exact location.
    expect((await decide(90)).status).toBe(200)
    expect((await decide("never", [CURRENT])).status).toBe(200)

    const wrong = await confirm(person, "not this one")
    expect(wrong.json).toMatchObject({ statusCode: 403, error: "forbidden", message: "The password is wrong" })
    expect((await decide("never")).status).toBe(403)
    const right = await confirm(person, PASSWORD)
    expect([right.status, right.text]).toEqual([204, ""])
    world.clock.advance(QUARTER - 1)
    expect((await decide("never")).status).toBe(200)
    world.clock.advance(1)
    expect((await decide("never")).status).toBe(403)
  })

  it("a user's own change of a connection: two at the same moment do not share exact location without an end", async () => {
    const { path, person } = await connecting()
    const page = await person.get(path, { headers: { accept: "text/html" } })
    const decision = { decision: "allow", scopes: [CURRENT, LATEST], standard_days: 30 }
    const request = consentAction(page.text).replace(/.*\//, "")
    expect((await person.send("POST", `/v1/user/consent-requests/${request}/decision`, decision)).status).toBe(200)
    const { connections } = (await person.get("/v1/user/connections")).json as { connections: [{ id: string }] }
    const change = (body: object) => person.send("PATCH", `/v1/user/connections/${connections[0].id}`, body)
    world.clock.advance(QUARTER)
    expect((await change({ scopes: [CURRENT] })).status).toBe(200)
    const answers = await Promise.all([change({ scopes: [CURRENT, LATEST] }), change({ standard_days: "never" })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(answers.find(({ status }) => status === 403)?.json).toEqual(REQUIRED)
    expect((await confirm(person, PASSWORD)).status).toBe(204)
    expect((await change({ scopes: [CURRENT, LATEST], standard_days: "never" })).status).toBe(200)
  })

  it("a confirmation replaces the cookie: a copy made before is neither confirmed nor signed in", async () => {
    const { person } = await connecting()
    const stolen = { headers: { cookie: person.cookie } }
    expect((await world.call("/v1/session", stolen)).status).toBe(200)
    const right = await confirm(person, PASSWORD)
    const [fresh = ""] = right.headers.getSetCookie()
    expect(fresh).toMatch(/^session=[0-9a-z]{52}; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(stolen.headers.cookie).not.toBe(person.cookie)
    expect((await world.call("/v1/session", stolen)).status).toBe(401)
    const { sessions } = (await person.get("/v1/user/sessions")).json as { readonly sessions: ReadonlyArray<object> }
    expect(sessions).toHaveLength(1)
  })

  it("a new password replaces the cookie too, on the page and in the API", async () => {
    const { person } = await connecting()
    const browser = await signedIn(world, person.account.email)
    const copies = [person.cookie, `session=${browser.cookies.get("session")}`]
    const opens = async (cookie = "") => (await world.call("/v1/session", { headers: { cookie } })).status
    const fields = { password: PASSWORD, new_password: "purple monkey dishwasher" }
    const page = "/portal/settings/password"
    expect((await browser.submit(await browser.get(page), page, fields)).status).toBe(303)
    copies.push(`session=${browser.cookies.get("session")}`)
    expect(await Promise.all(copies.map(opens))).toEqual([401, 401, 200])
    const api = { password: fields.new_password, new_password: "staple ocean seventeen" }
    const { email } = person.account
    const other = visitor(world.url)
    const answer = await other.submit(await other.get("/sign-in"), "/sign-in", { email, password: fields.new_password })
    expect(answer.status).toBe(303)
    const init = jsonBody(api)
    const cookie = `session=${other.cookies.get("session")}`
    const changed = await world.call("/v1/user/account/password", {
      ...init,
      method: "PUT",
      headers: { ...init.headers, cookie, origin: world.url }
    })
    const fresh = changed.headers.getSetCookie().find((text) => text.startsWith("session="))
    expect([changed.status, await opens(cookie), await opens(fresh?.split(";")[0])]).toEqual([204, 401, 200])
  })

  it("confirming one session leaves the account's others as they were", async () => {
    const { path, person } = await connecting()
    const browser = await signedIn(world, person.account.email)
    world.clock.advance(QUARTER)
    expect((await confirm(person, PASSWORD)).status).toBe(204)
    const action = consentAction((await browser.get(path)).text)
    const fields = { decision: "allow", scope: [CURRENT, LATEST], standard_days: "never" }
    const answer = await browser.submit(await browser.get(action), action, fields)
    expect(answer.headers.get("location")).toMatch(/^\/confirm\?/)
  })

  it("a new password confirms the session that set it: one question, not two", async () => {
    const { path, person } = await connecting()
    world.clock.advance(QUARTER)
    const changed = await person.send("PUT", "/v1/user/account/password", {
      password: PASSWORD,
      new_password: "purple monkey dishwasher"
    })
    expect(changed.status).toBe(204)
    const page = await person.get(path, { headers: { accept: "text/html" } })
    const id = consentAction(page.text).replace(/.*\//, "")
    const body = { decision: "allow", scopes: [LATEST], standard_days: "never" }
    expect((await person.send("POST", `/v1/user/consent-requests/${id}/decision`, body)).status).toBe(200)
  })

  it("guessing counts as signing in: 429 after five, and the right password does not confirm then", async () => {
    const person = await world.person()
    for (let tried = 0; tried < 5; tried++) expect((await confirm(person, "not this one")).status).toBe(403)
    const closed = await confirm(person, PASSWORD)
    expect([closed.status, Number(closed.headers.get("retry-after")) > 0]).toEqual([429, true])
  })

  it("needs a session, and a page of this service", async () => {
    const person = await world.person()
    const init = { ...jsonBody({ password: PASSWORD }), method: "POST" }
    expect((await world.call("/v1/session/confirmation", init)).status).toBe(401)
    const headers = { origin: "https://evil.example" }
    expect((await person.send("POST", "/v1/session/confirmation", { password: PASSWORD }, { headers })).status).toBe(
      403
    )
  })
})

describe("the page /confirm [accounts-17]", () => {
  it("a form leads to it, and it leads back to the page of the form", async () => {
    const { path, person } = await connecting()
    const browser = await signedIn(world, person.account.email)
    const action = consentAction((await browser.get(path)).text)
    world.clock.advance(QUARTER)
    const page = await browser.get(action)
    const choices = { decision: "allow", scope: [CURRENT, LATEST], standard_days: "never" }
    const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ""
    const post = () => browser.post(action, { ...choices, form_token: token }, { referer: world.url + action })
    const stolen = `session=${browser.cookies.get("session")}`
    const requested = await post()
    const back = `${action}?done=choose-again`
    const confirmPath = `/confirm?return_to=${encodeURIComponent(back)}`
    expect([requested.status, requested.headers.get("location")]).toEqual([303, confirmPath])

    const form = await browser.get(confirmPath)
    const wrong = await browser.submit(form, "/confirm", { password: "not this one" })
    expect([wrong.status, wrong.text.includes("Password is wrong")]).toEqual([403, true])
    expect((await browser.submit(wrong, "/confirm", { password: "" })).status).toBe(400)
    expect((await post()).headers.get("location")).toBe(confirmPath)
    const right = await browser.submit(wrong, "/confirm", { password: PASSWORD })
    expect([right.status, right.headers.get("location")]).toEqual([303, back])
    // The confirmation gave the browser a new session. The old cookie must no longer work, and a form whose page was
    // made in the old session must have no effect.
    expect((await world.call("/v1/session", { headers: { cookie: stolen } })).status).toBe(401)
    const old = await post()
    expect([old.status, old.headers.get("location")]).toEqual([303, back])
    // The consent form is shown once more, without the person's earlier choices, and says that they were not kept.
    const empty = await browser.get(back)
    expect(empty.text).toContain(NOT_KEPT)
    expect((await browser.get(action)).text).not.toContain(NOT_KEPT)
    const repeated = await browser.submit(empty, action, choices)
    expect(repeated.headers.get("location")).toMatch(/^https:\/\/coffee\.example\/|[?&]code=/)
    // The page redirects a person who confirmed the password a moment ago, without asking again.
    expect((await browser.get(confirmPath)).headers.get("location")).toBe(back)
  })

  it("a change of permissions leads to it as well; back on its page, what was chosen is said to be lost", async () => {
    const { path, person } = await connecting()
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get(path)
    const consented = { decision: "allow", scope: [CURRENT, LATEST], standard_days: "30" }
    expect((await browser.submit(page, consentAction(page.text), consented)).status).toBe(303)
    const { connections } = (await person.get("/v1/user/connections")).json as { connections: [{ id: string }] }
    const at = `/portal/connections/${connections[0].id}`
    world.clock.advance(QUARTER)
    const change = { scopes: [CURRENT, LATEST], standard_days: "never" }
    const requested = await browser.submit(await browser.get(at), `${at}/permissions`, change)
    const back = `${at}?done=choose-again`
    const confirmPath = `/confirm?return_to=${encodeURIComponent(back)}`
    expect([requested.status, requested.headers.get("location")]).toEqual([303, confirmPath])
    await browser.submit(await browser.get(confirmPath), "/confirm", { password: PASSWORD })
    expect((await browser.get(back)).text).toContain(NOT_KEPT)
  })

  it("back on its page, a form does not show the notice of an earlier form again, and its filters stay", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const browser = await signedIn(world, person.account.email)
    const team = `/developer/apps/${app.id}/team`
    world.clock.advance(QUARTER)
    const page = await browser.get(`${team}?done=team-member-removed`)
    const fields = { ...hidden(page, `${team}/invitations`), email: "ada@example.com", role: "viewer" }
    const referer = `${world.url}${team}?page=2&done=team-member-removed`
    const requested = await browser.post(`${team}/invitations`, fields, { referer })
    const back = `${team}?page=2&done=choose-again`
    const confirmPath = `/confirm?return_to=${encodeURIComponent(back)}`
    expect([requested.status, requested.headers.get("location")]).toEqual([303, confirmPath])
    await browser.submit(await browser.get(confirmPath), "/confirm", { password: PASSWORD })
    const empty = (await browser.get(back)).text
    expect([empty.includes(NOT_KEPT), empty.includes("The member was removed")]).toEqual([true, false])
  })

  it("giving exact location back leads to it, and it leads back to the page with that button, which says that nothing has changed [accounts-17, connection-9]", async () => {
    const { path, person } = await connecting()
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get(path)
    const consented = { decision: "allow", scope: [CURRENT, LATEST], standard_days: "never" }
    expect((await browser.submit(page, consentAction(page.text), consented)).status).toBe(303)
    const { connections } = (await person.get("/v1/user/connections")).json as { connections: [{ id: string }] }
    const at = `/portal/connections/${connections[0].id}`
    const restore = `${at}/exact-location/restore`
    await browser.submit(await browser.get(at), `${at}/exact-location/end`)
    const fields = hidden(await browser.get(`${at}?done=exact-location-ended`), restore)
    world.clock.advance(QUARTER)
    const requested = await browser.post(restore, fields)
    const back = `${at}?done=exact-location-not-restored`
    const confirmPath = `/confirm?return_to=${encodeURIComponent(back)}`
    expect(requested.headers.get("location")).toBe(confirmPath)
    await browser.submit(await browser.get(confirmPath), "/confirm", { password: PASSWORD })
    const shown = await browser.get(back)
    expect(shown.text).toContain("Nothing has changed yet")
    expect(hidden(shown, restore)).toHaveProperty("form_token")
  })

  it.each(["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])(
    "leads nowhere else: %s",
    async (target) => {
      const person = await world.person()
      const browser = await signedIn(world, person.account.email)
      world.clock.advance(QUARTER)
      const page = await browser.get(`/confirm?return_to=${encodeURIComponent(target)}`)
      const answer = await browser.submit(page, "/confirm", { password: PASSWORD, return_to: target })
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"])
    }
  )

  it("without the form token nothing is confirmed; without a session the sign-in comes first", async () => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    expect((await browser.post("/confirm", { password: PASSWORD })).status).toBe(403)
    browser.cookies.delete("session")
    expect((await browser.get("/confirm")).headers.get("location")).toBe("/sign-in?return_to=%2Fconfirm")
  })
})

describe("a form after which the session has another cookie, sent twice [accounts-21]", () => {
  const TARGET = "/portal/devices"
  /** A person whose sign-in is 15 minutes old, and the filled-in fields of the confirmation form. */
  const requested = async () => {
    const { account } = await world.person()
    const browser = await signedIn(world, account.email)
    world.clock.advance(QUARTER)
    const form = await browser.get(`/confirm?return_to=${encodeURIComponent(TARGET)}`)
    const fields: Readonly<Record<string, string>> = { ...hidden(form, "/confirm"), password: PASSWORD }
    return { account, browser, fields }
  }
  const led = (answer: Answer) => [
    answer.status,
    answer.headers.get("location"),
    /^session=([^;]*)/.exec(answer.headers.getSetCookie().find((text) => text.startsWith("session=")) ?? "")?.[1]
  ]

  it("a confirmation: the second answer is the first, with the old cookie and with the new one", async () => {
    const { browser, fields } = await requested()
    const old = browser.cookies.get("session") ?? ""
    const first = led(await browser.post("/confirm", fields))
    expect(first.slice(0, 2)).toEqual([303, TARGET])
    expect(led(await browser.post("/confirm", fields))).toEqual(first)
    browser.cookies.set("session", old)
    expect(led(await browser.post("/confirm", fields))).toEqual(first)
    expect(first[2]).toBe(browser.cookies.get("session"))
    expect((await browser.get(TARGET)).status).toBe(200)
  })

  it("a confirmation makes no browser known, also when it is sent many times: a thief of a session must not get that far [accounts-16]", async () => {
    const { browser, fields } = await requested()
    for (const _ of [1, 2]) {
      const answer = await browser.post("/confirm", fields)
      expect([answer.status, answer.headers.getSetCookie().map((text) => text.split("=")[0])]).toEqual([
        303,
        ["session"]
      ])
    }
  })

  it("at the same moment: both answers lead on with one cookie, and no second session begins", async () => {
    const { browser, fields } = await requested()
    const headers = { cookie: `session=${browser.cookies.get("session")}` }
    const answers = await Promise.all([1, 2, 3].map(() => browser.post("/confirm", fields, headers)))
    const [first, ...others] = answers.map(led)
    expect([first?.slice(0, 2), new Set(others.map(String))]).toEqual([[303, TARGET], new Set([String(first)])])
    const cookie = `session=${String(first?.[2])}`
    const { sessions } = (await world.call("/v1/user/sessions", { headers: { cookie } })).json as {
      readonly sessions: ReadonlyArray<object>
    }
    // The account has two sessions: the session of this browser, and the session that `world.person` opened.
    expect(sessions).toHaveLength(2)
  })

  it("a thief with the old cookie, and without the form, gets nothing: not by another form, nor by guessing", async () => {
    const { browser, fields } = await requested()
    const stolen = { cookie: `session=${browser.cookies.get("session")}` }
    const thief = visitor(world.url)
    const own = hidden(await thief.get("/confirm", stolen), "/confirm")
    expect(own["form_id"]).not.toBe(fields["form_id"])
    await browser.post("/confirm", fields)
    for (const form_id of [own["form_id"] ?? "", "", "0".repeat(52)]) {
      const answer = await thief.post("/confirm", { ...own, form_id, password: PASSWORD }, stolen)
      expect(led(answer)).toEqual([303, "/sign-in", undefined])
    }
  })

  it("in another browser, and when the proof is 15 minutes old, the form is worth nothing", async () => {
    const { browser, fields } = await requested()
    const old = browser.cookies.get("session") ?? ""
    await browser.post("/confirm", fields)
    const other = visitor(world.url)
    expect(led(await other.post("/confirm", fields))).toEqual([303, "/sign-in", undefined])
    world.clock.advance(QUARTER - 1)
    browser.cookies.set("session", old)
    expect(led(await browser.post("/confirm", fields))[1]).toBe(TARGET)
    world.clock.advance(1)
    browser.cookies.set("session", old)
    expect(led(await browser.post("/confirm", fields))).toEqual([303, "/sign-in", undefined])
  })

  it("a wrong password that is sent twice stays wrong", async () => {
    const { browser, fields } = await requested()
    for (const _ of [1, 2]) {
      expect(led(await browser.post("/confirm", { ...fields, password: "not this one" }))).toEqual([
        403,
        null,
        undefined
      ])
    }
  })

  it("a change of the password: the second answer leads to the settings, signed in", async () => {
    const { browser } = await requested()
    const action = "/portal/settings/password"
    const passwords = { password: PASSWORD, new_password: "purple monkey dishwasher" }
    const fields = { ...hidden(await browser.get(action), action), ...passwords }
    const old = browser.cookies.get("session") ?? ""
    const first = led(await browser.post(action, fields))
    browser.cookies.set("session", old)
    expect(led(await browser.post(action, fields))).toEqual(first)
    expect(first[1]).toContain("done=password-")
    expect((await browser.get(TARGET)).status).toBe(200)
  })

  it("a change of the password: the browser that gets only the second answer stays known [accounts-14]", async () => {
    const { account, browser } = await requested()
    const action = "/portal/settings/password"
    const passwords = { password: PASSWORD, new_password: "purple monkey dishwasher" }
    const fields = { ...hidden(await browser.get(action), action), ...passwords }
    const before = new Map(browser.cookies)
    await browser.post(action, fields)
    for (const [name, value] of before) browser.cookies.set(name, value)
    await browser.post(action, fields)
    const signIn = (password: string, cookie = "") =>
      world.call("/v1/session", {
        method: "POST",
        ...jsonBody({ email: account.email, password }),
        headers: { ...jsonBody({}).headers, ...(cookie === "" ? {} : { cookie }) }
      })
    for (let tried = 0; tried < 5; tried++) await signIn("a stranger's guess")
    const known = `browser=${browser.cookies.get("browser")}`
    expect((await signIn(passwords.new_password)).status).toBe(429)
    expect((await signIn(passwords.new_password, known)).status).toBe(201)
  })
})

it("sharing exact location without an end: allowed, not a renewal, with a sensitive scope [accounts-18]", () => {
  const choices: ConsentChoices = {
    decision: "allow",
    shown: "new",
    scopes: [CURRENT, LATEST],
    places: [],
    earlier: [],
    standardDays: "never",
    sensitiveDays: "1"
  }
  expect(sharesWithoutEnd(choices)).toBe(true)
  expect(sharesWithoutEnd({ ...choices, shown: undefined })).toBe(true)
  for (const one of [
    { decision: "cancel" },
    { shown: "renew_sensitive" },
    { standardDays: "90" },
    { standardDays: undefined },
    { scopes: [CURRENT, "no.such.scope"] }
  ] as const) {
    expect(sharesWithoutEnd({ ...choices, ...one })).toBe(false)
  }
})
