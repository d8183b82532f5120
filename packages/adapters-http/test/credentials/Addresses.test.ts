import { Account } from "@place-access/domain/accounts"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, signedIn } from "../support/browsing.js"
import { mailedLink, mailTo, tokenOf } from "../support/mailbox.js"
import { hidden, type Visitor, visitor } from "../support/visitor.js"
import { type Answer, jsonBody } from "../support/wire.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld({ addressRule: "confirmed" })
})
afterAll(() => world.close())

const OTHER = "purple monkey dishwasher"
const CONFIRM = "Confirm your e-mail address"
const { DAY, HOUR, MINUTE } = Timestamp

let count = 0
const fresh = () => `someone${count++}@example.com`
const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const init = jsonBody(body)
  return world.call(path, { ...init, method: "POST", headers: { ...init.headers, ...headers } })
}
const signUp = (email: string, password = PASSWORD) => post("/v1/accounts", { email, password })
const signIn = (email: string, password = PASSWORD, cookie?: string) =>
  post("/v1/session", { email, password }, cookie === undefined ? {} : { cookie })
const linkTo = async (email: string, subject = CONFIRM, nth = 1) =>
  tokenOf(await mailedLink(world, email, subject, nth))
const confirm = (token: string, password = PASSWORD) => post("/v1/accounts/confirmations/use", { token, password })
/** Advances the clock until every window of a rate limit for half an hour or less has ended. */
const wait = () => world.clock.advance(31 * MINUTE)
const subjects = async (email: string) => (await mailTo(world, email)).map(({ subject }) => subject)

/** A person whose address nobody confirmed: they signed up while no mail could be sent. */
const unconfirmed = async (): Promise<Person> => {
  const person = await world.person()
  const { accounts } = await world.run(MemoryDatabase)
  const stored = accounts.get(person.account.id)
  const account = { ...person.account, confirmedAt: null }
  if (stored !== undefined) accounts.set(account.id, { ...stored, account })
  return { ...person, account }
}

describe("sign-up where mail is sent [accounts-12]", () => {
  it("the same answer for a new address, a waiting one and an account's; only the mail tells", async () => {
    const owner = await world.person()
    const email = fresh()
    const answers = [await signUp(email), await signUp(email, OTHER), await signUp(owner.account.email, OTHER)]
    const shown = answers.map(({ headers, json, status }) => [status, json, headers.getSetCookie()])
    expect(shown).toEqual([shown[0], shown[0], shown[0]])
    expect(shown[0]).toEqual([202, { message: expect.stringContaining("Look into your mail") }, []])
    expect(await subjects(owner.account.email)).toEqual(["You have an account already"])
    expect(await subjects(email)).toEqual([CONFIRM, CONFIRM])
    // Sign-in must not show which address has an account: it answers all three attempts with the same refusal.
    const tried = [await signIn(email), await signIn(email, OTHER), await signIn(owner.account.email, OTHER)]
    expect(tried.map(({ json, status }) => [status, json])).toEqual(tried.map(() => [401, tried[0]?.json]))
  })

  it("a common password and a wrong address are refused alike, before anything is mailed", async () => {
    const owner = await world.person()
    for (const email of [owner.account.email, fresh()]) {
      const refused = await signUp(email, "password123")
      expect([refused.status, refused.text.includes(email)]).toEqual([400, false])
      expect(await subjects(email)).toEqual([])
    }
  })

  it("the link needs the password of its own sign-up; the first who confirms gets the account", async () => {
    const email = fresh()
    await signUp(email)
    const own = await linkTo(email)
    world.clock.advance(1)
    await signUp(email, OTHER)
    const strangers = await linkTo(email, CONFIRM, 2)
    // The owner of the mailbox opens the link of a sign-up by a stranger. The link must not work without the password
    // of that sign-up, which only the stranger knows.
    expect((await confirm(strangers)).json).toMatchObject({ statusCode: 403, message: "The password is wrong" })
    expect((await confirm(own, OTHER)).status).toBe(403)
    const made = await confirm(own)
    expect([made.status, made.json]).toEqual([201, expect.objectContaining({ email, email_confirmed: true })])
    for (const repeated of [await confirm(own), await confirm(strangers, OTHER)]) expect(repeated.status).toBe(404)
    expect([(await signIn(email)).status, (await signIn(email, OTHER)).status]).toEqual([201, 401])
  })

  it("24 hours, to the millisecond [T2]; the link is sent again, and few are", async () => {
    const email = fresh()
    await signUp(email)
    const first = await linkTo(email)
    world.clock.advance(DAY - 1)
    const repeated = await post("/v1/accounts/confirmations", { email })
    expect([repeated.status, repeated.text]).toEqual([202, ""])
    const second = await linkTo(email, CONFIRM, 2)
    world.clock.advance(1)
    expect((await confirm(first)).status).toBe(404)
    expect((await confirm(second)).status).toBe(201)

    const other = fresh()
    for (let requested = 0; requested < 5; requested++) expect((await signUp(other)).status).toBe(202)
    expect(await subjects(other)).toHaveLength(3)
    expect((await post("/v1/accounts/confirmations", { email: fresh() })).text).toBe("")
  })
})

describe("an address that nobody confirmed [accounts-11]", () => {
  it("connects no app, and submits no app and no purpose; it gets the link and no other mail", async () => {
    const person = await unconfirmed()
    const { app } = await world.app(person)
    const purposes = `/v1/developer/apps/${app.id}/purposes`
    const terms = { description: "Shows you on a map", scopes: ["location.lookup"], expected_daily_volume: 24 }
    const purpose = (await person.send("POST", purposes, { key: "find_me", ...terms })).json as { readonly id: string }
    const submittedPurpose = await person.send("POST", `${purposes}/${purpose.id}/submit`)
    expect(submittedPurpose.json).toMatchObject({ statusCode: 403, message: Account.UNCONFIRMED })
    expect((await person.get("/v1/session")).json).toMatchObject({ email_confirmed: false })
    const submitted = await person.send("POST", `/v1/developer/apps/${app.id}/submit`)
    expect(submitted.json).toMatchObject({ statusCode: 403, message: Account.UNCONFIRMED })
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get(authorizePath(app))
    expect([page.status, page.text.includes("Confirm your e-mail address first")]).toEqual([403, true])
    expect(page.text).toContain('<button class="link" form="switch-account">')
    const id = /\/authorize\/(crq_\w+)/.exec(page.text)?.[1] ?? ""
    const body = { decision: "allow", scopes: ["location.rules.place"] }
    const decided = await person.send("POST", `/v1/user/consent-requests/${id}/decision`, body)
    expect(decided.json).toMatchObject({ statusCode: 403, message: Account.UNCONFIRMED })
    // Cancelling makes no connection, so it needs no confirmed address.
    const cancelled = await person.send("POST", `/v1/user/consent-requests/${id}/decision`, { decision: "cancel" })
    expect(cancelled.status).toBe(200)

    expect((await person.send("POST", "/v1/user/account/email/confirmations")).status).toBe(202)
    const token = await linkTo(person.account.email)
    const used = await person.send("POST", "/v1/user/account/email/confirmations/use", { token })
    expect([used.status, used.json]).toEqual([200, expect.objectContaining({ email_confirmed: true })])
    const repeated = await signedIn(world, person.account.email)
    expect((await repeated.get(authorizePath(app))).status).toBe(200)
    expect((await person.send("POST", `/v1/developer/apps/${app.id}/submit`)).status).not.toBe(403)
    expect((await person.send("POST", `${purposes}/${purpose.id}/submit`)).status).toBe(200)
  })
})

describe("changing the address [accounts-13]", () => {
  const ask = (person: Person, email: string) => person.send("POST", "/v1/user/account/email", { email })
  const use = (person: Person, token: string) =>
    person.send("POST", "/v1/user/account/email/confirmations/use", { token })
  const undo = (token: string, password = OTHER) => post("/v1/email-undos/use", { token, password })
  const UNDO = "The address of your account was changed"

  it("a link to the new one, in a session of the same account; the old one undoes it", async () => {
    wait()
    const [person, stranger] = [await world.person(), await world.person()]
    const [before, after] = [person.account.email, fresh()]
    expect((await ask(person, before)).json).toMatchObject({ message: "email is the address that you have" })
    expect((await ask(person, after)).status).toBe(202)
    const token = await linkTo(after)
    // A stranger who gets the mail to a mistyped address uses its link in a session of their own account.
    expect((await use(stranger, token)).status).toBe(404)
    expect((await person.get("/v1/session")).json).toMatchObject({ email: before })
    const used = await use(person, token)
    expect([used.status, used.json]).toEqual([200, expect.objectContaining({ email: after })])
    expect((await use(person, token)).status).toBe(404)
    expect([(await signIn(after)).status, (await signIn(before)).status]).toEqual([201, 401])
    // Somebody who has taken the account over changes its address, and then also its password.
    const thief = { password: PASSWORD, new_password: "the thief's own password" }
    expect((await person.send("PUT", "/v1/user/account/password", thief)).status).toBe(204)
    const back = await linkTo(before, UNDO)
    expect((await undo(back, "password123")).status).toBe(400)
    expect([(await undo(back)).status, (await undo(back)).status]).toEqual([204, 404])
    expect((await person.get("/v1/session")).status).toBe(401)
    expect([(await signIn(before, OTHER)).status, (await signIn(after, OTHER)).status]).toEqual([201, 401])
    expect((await signIn(before, "the thief's own password")).status).toBe(401)
  })

  it("7 days for the undo, to the millisecond [T2]", async () => {
    for (const [millis, status] of [
      [7 * DAY - 1, 204],
      [7 * DAY, 404]
    ] as const) {
      wait()
      const person = await world.person()
      const after = fresh()
      await ask(person, after)
      await use(person, await linkTo(after))
      world.clock.advance(millis)
      expect((await undo(await linkTo(person.account.email, UNDO))).status).toBe(status)
    }
  })

  it("another account's address: the same answer, and its owner gets a mail; an open browser is not enough", async () => {
    wait()
    const [person, owner] = [await world.person(), await world.person()]
    const answers = [await ask(person, owner.account.email), await ask(person, fresh())]
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [202, ""],
      [202, ""]
    ])
    expect(await subjects(owner.account.email)).toEqual(["Somebody wanted to use your address"])
    world.clock.advance(15 * MINUTE)
    expect((await ask(person, fresh())).json).toMatchObject({ statusCode: 403, error: "confirmation_required" })
    const foreign = await person.send(
      "POST",
      "/v1/user/account/email",
      { email: fresh() },
      { headers: { origin: "https://evil.example" } }
    )
    expect(foreign.status).toBe(403)
  })
})

describe("a lock-out that locks out nobody innocent [accounts-14, accounts-15, accounts-16]", () => {
  const NEWS = "A new browser signed in to your account"
  const cookieOf = (answer: Awaited<ReturnType<typeof signIn>>) =>
    answer.headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith("browser="))
      ?.split(";")[0] ?? ""
  const guess = async (email: string, times = 5) => {
    for (let tried = 0; tried < times; tried++) await signIn(email, "a stranger's guess")
  }

  it("the known browser gets in while strangers are shut out; a cookie of another account is none", async () => {
    wait()
    const [owner, other] = [await world.person(), await world.person()]
    const { email } = owner.account
    const known = cookieOf(await signIn(email))
    const others = cookieOf(await signIn(other.account.email))
    await guess(email)
    expect((await signIn(email)).status).toBe(429)
    expect((await signIn(email, PASSWORD, others)).status).toBe(429)
    const [payload = ""] = known.split(/\.[^.]*$/)
    for (const forged of [
      `${payload}.${"A".repeat(43)}`,
      known.replace(owner.account.id, other.account.id),
      others.replace(other.account.id, owner.account.id),
      "browser=x"
    ]) {
      expect((await signIn(email, PASSWORD, forged)).status).toBe(429)
    }
    expect((await signIn(email, PASSWORD, known)).status).toBe(201)
    // Sign-in stays closed for unknown browsers, although the known browser has signed in. Wrong guesses in the known
    // browser then close sign-in for this browser too.
    expect((await signIn(email)).status).toBe(429)
    for (let tried = 0; tried < 5; tried++) expect((await signIn(email, "wrong again", known)).status).toBe(401)
    expect((await signIn(email, PASSWORD, known)).status).toBe(429)
  })

  it("a signed-in owner changes the password while strangers guess; the new password forgets the browsers", async () => {
    wait()
    const owner = await world.person()
    const { email } = owner.account
    const known = cookieOf(await signIn(email))
    await guess(email)
    const body = { password: PASSWORD, new_password: OTHER }
    const headers = { cookie: `${owner.cookie}; ${known}` }
    const changed = await owner.send("PUT", "/v1/user/account/password", body, { headers })
    expect(changed.status).toBe(204)
    const renewed = cookieOf(changed)
    expect(renewed).not.toBe(known)
    await guess(email)
    expect((await signIn(email, OTHER, known)).status).toBe(429)
    expect((await signIn(email, OTHER, renewed)).status).toBe(201)
  })

  it.each(["API", "page"])("the browser that undoes a change of address, by the %s, is known again", async (way) => {
    wait()
    const owner = await world.person()
    const { email } = owner.account
    const after = fresh()
    await owner.send("POST", "/v1/user/account/email", { email: after })
    const token = await linkTo(after)
    await owner.send("POST", "/v1/user/account/email/confirmations/use", { token })
    const undo = await linkTo(email, "The address of your account was changed")
    const browser = visitor(world.url)
    const restored =
      way === "API"
        ? await post("/v1/email-undos/use", { token: undo, password: OTHER })
        : await browser.submit(await browser.get(`/undo-address?token=${undo}`), "/undo-address", { password: OTHER })
    await guess(email)
    expect((await signIn(email, OTHER)).status).toBe(429)
    expect((await signIn(email, OTHER, cookieOf(restored))).status).toBe(201)
  })

  it("the unlock link: mailed on request, works once in the browser that uses it, and signs nobody in", async () => {
    wait()
    const owner = await world.person()
    const { email } = owner.account
    await guess(email)
    const requested = [await post("/v1/unlock-links", { email }), await post("/v1/unlock-links", { email: fresh() })]
    expect(requested.map(({ status, text }) => [status, text])).toEqual([
      [202, ""],
      [202, ""]
    ])
    const token = await linkTo(email, "Sign in although others guess your password")
    const used = await post("/v1/unlock-links/use", { token })
    expect([used.status, used.headers.getSetCookie().length]).toEqual([204, 1])
    const known = cookieOf(used)
    expect((await post("/v1/unlock-links/use", { token })).status).toBe(404)
    expect((await signIn(email)).status).toBe(429)
    expect((await signIn(email, "a guess", known)).status).toBe(401)
    expect((await signIn(email, PASSWORD, known)).status).toBe(201)
    // A link must not work 30 minutes after it was mailed.
    await post("/v1/unlock-links", { email })
    const late = await linkTo(email, "Sign in although others guess your password", 2)
    world.clock.advance(30 * MINUTE)
    expect((await post("/v1/unlock-links/use", { token: late })).status).toBe(404)
  })

  it("a sign-in from an unknown browser is mailed, once a day; from a known one never", async () => {
    wait()
    const owner = await world.person()
    const { email } = owner.account
    const known = cookieOf(await signIn(email))
    world.clock.advance(HOUR)
    expect((await signIn(email, PASSWORD, known)).status).toBe(201)
    expect(await subjects(email)).toEqual([])
    await signIn(email)
    await signIn(email)
    expect(await subjects(email)).toEqual([NEWS])
    const [letter] = await mailTo(world, email)
    expect([letter?.text.includes("127.0.0.1"), letter?.text.includes("/portal/settings/sessions")]).toEqual([
      true,
      true
    ])
    world.clock.advance(DAY)
    await signIn(email)
    expect(await subjects(email)).toEqual([NEWS, NEWS])
  })
})

describe("the pages, without scripts", () => {
  const open = async (browser: Visitor, email: string, subject: string, nth = 1) => {
    const link = new URL(await mailedLink(world, email, subject, nth))
    return browser.get(link.pathname + link.search)
  }

  it("sign-up leads back to the page that the person wanted, and nowhere else", async () => {
    for (const [wanted, led] of [
      ["/portal/places", "/portal/places"],
      ["//evil.example", "/"]
    ] as const) {
      wait()
      const [browser, email] = [visitor(world.url), fresh()]
      const form = await browser.get(`/sign-up?return_to=${encodeURIComponent(wanted)}`)
      const fields = { email, password: PASSWORD, display_name: "", keep_days: "90", return_to: wanted }
      const sent = await browser.submit(form, "/sign-up", fields)
      expect([sent.status, sent.text.includes("Look into your mail")]).toEqual([200, true])
      expect(browser.cookies.has("session")).toBe(false)
      const page = await open(browser, email, CONFIRM)
      const wrong = await browser.submit(page, "/confirm-sign-up", { password: OTHER })
      expect(wrong.status).toBe(403)
      const done = await browser.submit(wrong, "/confirm-sign-up", { password: PASSWORD })
      expect([done.status, done.headers.get("location")]).toEqual([303, led])
      expect(browser.cookies.has("session")).toBe(true)
      const settings = await browser.get("/portal/settings")
      expect(settings.text).toContain("90 days")
    }
  })

  it("every page on the way to the sign-in leads back to the page that the person wanted, and nowhere else", async () => {
    const browser = visitor(world.url)
    const wanted = "/portal/places?lat=1"
    const query = `?return_to=${encodeURIComponent(wanted)}`
    const linksTo = (page: Answer, path: string) => expect(page.text).toContain(`href="${path}${query}"`)
    const signInPage = await browser.get(`/sign-in${query}`)
    linksTo(signInPage, "/forgot-password")
    const email = fresh()
    for (let tries = 0; tries < 5; tries++) await browser.submit(signInPage, "/sign-in", { email, password: OTHER })
    linksTo(await browser.submit(signInPage, "/sign-in", { email, password: OTHER }), "/unlock-link")
    for (const [path, foot] of [
      ["/forgot-password", "/sign-in"],
      ["/unlock-link", "/forgot-password"]
    ] as const) {
      const page = await browser.get(path + query)
      linksTo(page, foot)
      const wrong = await browser.submit(page, path, { email: "nobody" })
      linksTo(wrong, foot)
      linksTo(await browser.submit(wrong, path, { email: fresh() }), path)
      const evil = await browser.get(`${path}?return_to=//evil.example`)
      expect(evil.text).not.toContain("evil.example")
    }
    wait()
    const somebody = fresh()
    const form = await browser.get(`/sign-up${query}`)
    const sent = await browser.submit(form, "/sign-up", { email: somebody, password: PASSWORD, keep_days: "90" })
    linksTo(sent, "/sign-up")
    linksTo(await browser.submit(sent, "/sign-up/resend"), "/sign-up")
    const gone = await browser.post("/sign-up/resend", { ...hidden(sent, "/sign-up/resend"), email: "nobody" })
    expect(gone.headers.get("location")).toBe(`/sign-up${query}`)
    const page = await open(browser, somebody, CONFIRM, 2)
    linksTo(page, "/sign-up")
    await browser.submit(page, "/confirm-sign-up", { password: PASSWORD })
    const dead = await browser.submit(page, "/confirm-sign-up", { password: PASSWORD })
    expect(dead.status).toBe(404)
    linksTo(dead, "/sign-in")
    linksTo(dead, "/sign-up")
  })

  describe("the button of a mailed link that is pressed twice: the second answer, which the browser shows, says that it worked [accounts-21]", () => {
    it("sign-up: the second answer signs the browser in as well; another password does not [accounts-12]", async () => {
      wait()
      const [browser, username] = [visitor(world.url), fresh()]
      const form = await browser.get("/sign-up?return_to=/portal/places")
      await browser.submit(form, "/sign-up", { email: username, password: PASSWORD, keep_days: "90" })
      const page = await open(browser, username, CONFIRM)
      const press = (password: string) => browser.submit(page, "/confirm-sign-up", { username, password })
      expect((await press(PASSWORD)).headers.get("location")).toBe("/portal/places")
      // Removes the session's cookie, as if the browser had not received the first answer.
      browser.cookies.delete("session")
      const second = await press(PASSWORD)
      expect([second.status, second.headers.get("location")]).toEqual([303, "/portal/places"])
      expect((await browser.get("/portal/places")).status).toBe(200)
      const other = await press(OTHER)
      expect([other.status, other.headers.getSetCookie()]).toEqual([404, []])
    })

    it("confirming an address: for a minute, the link leads to the confirmed address", async () => {
      wait()
      const owner = await unconfirmed()
      const browser = await signedIn(world, owner.account.email)
      const settings = "/portal/settings/email"
      await browser.submit(await browser.get(settings), `${settings}/confirm`)
      const page = await open(browser, owner.account.email, CONFIRM)
      const press = async () => {
        const { headers, status } = await browser.submit(page, "/confirm-address")
        return [status, headers.get("location")]
      }
      const done = [303, `${settings}?done=address-confirmed`]
      expect([await press(), await press()]).toEqual([done, done])
      world.clock.advance(MINUTE)
      expect(await press()).toEqual([404, null])
    })
  })

  it("a form without its token changes nothing, and a dead link says so on each page", async () => {
    const owner = await world.person()
    const browser = await signedIn(world, owner.account.email)
    for (const path of ["/sign-up/resend", "/confirm-sign-up", "/confirm-address", "/undo-address", "/unlock"]) {
      expect((await browser.post(path, { token: "x".repeat(52), email: fresh() })).status).toBe(403)
    }
    for (const path of ["/confirm-sign-up", "/confirm-address", "/undo-address", "/unlock"]) {
      const page = await browser.get(`${path}?token=${"0".repeat(52)}`)
      expect([page.status, page.text.includes("This link does not work any more")]).toEqual([404, true])
    }
  })
})
