import { chooseLanguage } from "@place-access/domain/accounts"
import { AuditLog } from "@place-access/domain/audit"
import { removeFactors } from "@place-access/domain/factors"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as OTPAuth from "otpauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Authenticator, authenticator, optionsOf } from "../support/authenticator.js"
import { deadLinks } from "../support/browsing.js"
import { mailTo } from "../support/mailbox.js"
import { hidden, type Visitor, visitor } from "../support/visitor.js"
import { type Answer, jsonBody, raw } from "../support/wire.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

/**
 * The address of the service for browsers. Browsers make passkeys for host names only, but the socket of the test has a
 * network address.
 */
const SERVICE = "https://places.example"

let world: World
beforeAll(async () => {
  const [baseUrl, authUrl, userPortalUrl] = [SERVICE, SERVICE, `${SERVICE}/portal`]
  world = await startWorld({ baseUrl, authUrl, userPortalUrl, staffSecondFactor: "required" })
})
afterAll(() => world.close())

const FACTOR = "/portal/settings/second-factor"
const STEP = "/sign-in/second-step"
const MINUTE = Timestamp.MINUTE

const start = () => visitor(world.url, SERVICE)
const where = (answer: Answer) => [answer.status, answer.headers.get("location")]
const secretOf = (text: string) => (/<code class="breaks">([^<]+)</.exec(text)?.[1] ?? "").replaceAll(" ", "")
const codesOf = (text: string) =>
  [...text.matchAll(/<code>([0-9a-z]{4}(?:-[0-9a-z]{4}){3})<\/code>/g)].map(([, code = ""]) => code)
const codeAt = (secret: string, timestamp = world.clock.now()) =>
  new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) }).generate({ timestamp })
const isSignedIn = async (browser: Visitor) => (await browser.get("/portal/connections")).status === 200

/** The first step of a sign-in, with the password. */
const begin = async (email: string, browser = start(), password = PASSWORD) => {
  const page = await browser.get("/sign-in?return_to=/portal/devices")
  return { browser, answer: await browser.submit(page, "/sign-in", { email, password }) }
}

const secondStep = async (browser: Visitor, fields: (page: Answer) => Record<string, string>) => {
  const page = await browser.get(`${STEP}?return_to=/portal/devices`)
  return browser.submit(page, STEP, fields(page))
}
const withCode = (browser: Visitor, code: string) => secondStep(browser, () => ({ code }))
const withPasskey = (browser: Visitor, passkey: Authenticator, on?: Parameters<Authenticator["get"]>[1]) =>
  secondStep(browser, ({ text }) => ({ passkey: passkey.get(optionsOf(text), on) }))

/** A person who signed in with the password, and then set up an app for one-time codes. */
const withCodeApp = async (roles: ReadonlyArray<"reviewer" | "admin"> = []) => {
  const person = await world.person({ roles })
  const { browser } = await begin(person.account.email)
  const begun = await browser.submit(await browser.get(FACTOR), `${FACTOR}/app/begin`)
  expect(where(begun)).toEqual([303, `${FACTOR}/app`])
  const page = await browser.get(`${FACTOR}/app`)
  const secret = secretOf(page.text)
  const wrong = await browser.submit(page, `${FACTOR}/app`, { code: "000000" })
  expect(wrong.status).toBe(400)
  const done = await browser.submit(wrong, `${FACTOR}/app`, { code: codeAt(secret) })
  const codes = codesOf(done.text)
  expect([done.status, codes.length, new Set(codes).size]).toEqual([200, 10, 10])
  world.clock.advance(MINUTE)
  return { person, email: person.account.email, browser, secret, codes }
}

const withNewPasskey = async () => {
  const person = await world.person()
  const { browser } = await begin(person.account.email)
  const passkey = authenticator(SERVICE)
  const page = await browser.get(`${FACTOR}/add-passkey`)
  const fields = { name: "My phone", passkey: passkey.create(optionsOf(page.text)) }
  const done = await browser.submit(page, `${FACTOR}/add-passkey`, fields)
  expect([done.status, codesOf(done.text).length]).toEqual([200, 10])
  return { person, email: person.account.email, browser, passkey }
}

describe("one-time codes [factors-4, factors-8]", () => {
  it("a sign-in has two steps: after the password alone nobody is signed in", async () => {
    const { email, secret } = await withCodeApp()
    const { answer, browser } = await begin(email)
    expect(where(answer)).toEqual([303, `${STEP}?return_to=%2Fportal%2Fdevices`])
    expect([browser.cookies.has("__Host-session"), browser.cookies.has("__Host-pending")]).toEqual([false, true])
    expect(await isSignedIn(browser)).toBe(false)
    expect((await browser.get(STEP)).text).toContain("The six digits of your app, or a recovery code")
    // With the password alone, a browser gets the cookie `__Host-pending`. Its token must not work as a session.
    const thief = start()
    thief.cookies.set("__Host-session", browser.cookies.get("__Host-pending") ?? "")
    expect(await isSignedIn(thief)).toBe(false)
    expect((await withCode(browser, "not a code")).status).toBe(401)
    expect(where(await withCode(browser, ` ${codeAt(secret).replace(/(...)/, "$1 ")}`))).toEqual([
      303,
      "/portal/devices"
    ])
    expect([await isSignedIn(browser), browser.cookies.has("__Host-pending")]).toEqual([true, false])
  })

  it("a second step that is sent twice signs in once; both answers have the cookie of that session [accounts-21]", async () => {
    const { email, secret } = await withCodeApp()
    const { browser } = await begin(email)
    const page = await browser.get(`${STEP}?return_to=/portal/devices`)
    const fields = { ...hidden(page, STEP), code: codeAt(secret) }
    const headers = { cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; ") }
    const led = (answer: Answer) => [
      ...where(answer),
      answer.headers.getSetCookie().find((text) => text.startsWith("__Host-session="))
    ]
    const first = led(await browser.post(STEP, fields))
    expect(first.slice(0, 2)).toEqual([303, "/portal/devices"])
    // Sends the form twice more: with the old cookies, as when the answer was lost, and with the new cookies. Both
    // requests must get the first answer.
    const second = await browser.post(STEP, fields, headers)
    expect(led(second)).toEqual(first)
    // The browser was not known before, and drops the first answer. The second answer must make it known (accounts-14).
    expect(second.headers.getSetCookie().some((text) => text.startsWith("__Host-browser="))).toBe(true)
    expect(led(await browser.post(STEP, fields))).toEqual(first)
    // The code is used up, so it must not sign in another browser that knows the password.
    const thief = await begin(email)
    expect((await withCode(thief.browser, fields.code)).status).toBe(401)

    const repeated = await begin(email)
    world.clock.advance(MINUTE)
    const form = { ...hidden(await repeated.browser.get(STEP), STEP), code: codeAt(secret) }
    const cookie = { cookie: [...repeated.browser.cookies].map((pair) => pair.join("=")).join("; ") }
    const both = await Promise.all([1, 2].map(() => repeated.browser.post(STEP, form, cookie)))
    expect(both.map(led)[1]).toEqual(both.map(led)[0])
    expect(both.map(({ status }) => status)).toEqual([303, 303])
  })

  it("a code works once; of the steps around the present one the earlier ones are used up with it", async () => {
    const { email, secret } = await withCodeApp()
    const code = codeAt(secret)
    expect((await withCode((await begin(email)).browser, code)).status).toBe(303)
    const { browser } = await begin(email)
    for (const used of [code, codeAt(secret, world.clock.now() - 30_000)]) {
      expect((await withCode(browser, used)).status).toBe(401)
    }
    expect((await withCode(browser, codeAt(secret, world.clock.now() + 60_000))).status).toBe(401)
    expect((await withCode(browser, codeAt(secret, world.clock.now() + 30_000))).status).toBe(303)
  })

  it("five wrong codes close the second step, and the right password does not open it", async () => {
    const { email, secret } = await withCodeApp()
    const { browser } = await begin(email)
    for (let tried = 0; tried < 5; tried++) {
      // Begins a sign-in with the correct password before each further code. The correct password resets the count of
      // wrong passwords, but must not reset the count of wrong codes.
      if (tried > 0) await begin(email, browser)
      expect((await withCode(browser, "000000")).status).toBe(401)
    }
    const closed = await withCode(browser, codeAt(secret))
    expect([closed.status, Number(closed.headers.get("retry-after")) > 0]).toEqual([429, true])
    expect(await isSignedIn(browser)).toBe(false)
  })

  it("the first step is over after ten minutes, with a new password, and when it was forged", async () => {
    const { browser: owner, email, secret } = await withCodeApp()
    const late = (await begin(email)).browser
    world.clock.advance(10 * MINUTE)
    expect(where(await withCodeUnasked(late, codeAt(secret)))).toEqual([303, "/sign-in"])

    const { browser } = await begin(email)
    const token = browser.cookies.get("__Host-pending") ?? ""
    const page = await browser.get(STEP)
    const confirmPage = await owner.get("/confirm")
    await owner.submit(confirmPage, "/confirm", { password: PASSWORD, code: codeAt(secret) })
    const changed = await owner.submit(await owner.get("/portal/settings/password"), "/portal/settings/password", {
      password: PASSWORD,
      new_password: "purple monkey dishwasher"
    })
    expect(changed.headers.get("location")).toContain("done=password")
    world.clock.advance(MINUTE)
    expect(where(await browser.submit(page, STEP, { code: codeAt(secret) }))).toEqual([303, "/sign-in"])
    expect(await isSignedIn(browser)).toBe(false)

    const forger = (await begin(email, start(), "purple monkey dishwasher")).browser
    const [user = "", version, ...rest] = (forger.cookies.get("__Host-pending") ?? "").split(".")
    expect(version).not.toBe(token.split(".")[1])
    forger.cookies.set("__Host-pending", [user, String(Number(version) + 1), ...rest].join("."))
    expect(where(await withCodeUnasked(forger, codeAt(secret)))).toEqual([303, "/sign-in"])
  })

  it("an app is set up by a fresh sign-in only, and its first code must be right", async () => {
    const person = await world.person()
    const { browser } = await begin(person.account.email)
    const page = await browser.get(FACTOR)
    world.clock.advance(15 * MINUTE)
    const stale = await browser.submit(page, `${FACTOR}/app/begin`)
    expect(stale.headers.get("location")).toMatch(/^\/confirm\?return_to=/)
    expect((await begin(person.account.email)).answer.headers.get("location")).toBe("/portal/devices")
  })
})

/**
 * Posts a code without the page of the second step, which a browser would get first. Tests use this function when the
 * service does not show that page.
 */
const withCodeUnasked = async (browser: Visitor, code: string) => {
  const token = /name="form_token" value="([^"]+)"/.exec((await browser.get("/sign-in")).text)?.[1] ?? ""
  return browser.post(STEP, { form_token: token, code })
}

describe("recovery codes [factors-5, factors-6]", () => {
  it("each signs in once in place of the factor; a mail and the page say how many are left", async () => {
    const { codes, email } = await withCodeApp()
    const [code = "", other = ""] = codes
    const { browser } = await begin(email)
    const used = await withCode(browser, code.toUpperCase().replaceAll("-", " "))
    expect([used.status, used.text.includes("You have 9 codes left")]).toEqual([200, true])
    expect(await isSignedIn(browser)).toBe(true)
    expect((await mailTo(world, email)).map(({ subject }) => subject)).toContain(
      "A recovery code of your account was used"
    )
    const repeated = (await begin(email)).browser
    expect((await withCode(repeated, code)).status).toBe(401)
    expect((await withCode(repeated, other)).status).toBe(200)
  })

  it("the page after a sign-in with one is in the language of the account [languages-1]", async () => {
    const { codes, email, person } = await withCodeApp()
    await world.run(chooseLanguage(person.account.id, "de"))
    const used = await withCode((await begin(email)).browser, codes[0] ?? "")
    expect([used.status, used.text.includes('<html lang="de">')]).toEqual([200, true])
  })

  it("new ones replace the ones before", async () => {
    const { browser, codes, email } = await withCodeApp()
    const fresh = codesOf((await browser.submit(await browser.get(FACTOR), `${FACTOR}/recovery-codes`)).text)
    expect(fresh.length).toBe(10)
    const next = (await begin(email)).browser
    expect((await withCode(next, codes[3] ?? "")).status).toBe(401)
    expect((await withCode(next, fresh[3] ?? "")).status).toBe(200)
  })
})

describe("passkeys [factors-3]", () => {
  it("as the second factor, and in place of the password", async () => {
    const { email, passkey } = await withNewPasskey()
    const second = (await begin(email)).browser
    const requested = (await second.get(STEP)).text
    expect([requested.includes("One of your recovery codes"), requested.includes("six digits")]).toEqual([true, false])
    expect(where(await withPasskey(second, passkey, { isUserVerified: false }))).toEqual([303, "/portal/devices"])
    expect(await isSignedIn(second)).toBe(true)
    const alone = start()
    const page = await alone.get("/sign-in/passkey?return_to=/portal/places")
    const answer = await alone.submit(page, "/sign-in/passkey", { passkey: passkey.get(optionsOf(page.text)) })
    expect([where(answer), await isSignedIn(alone)]).toEqual([[303, "/portal/places"], true])
    expect((await mailTo(world, email)).map(({ subject }) => subject)).toEqual(["A passkey was added to your account"])
  })

  it.each([
    ["alone", "with a passkey", "/portal/settings/second-factor"],
    ["after the password", "with your password", "/forgot-password"]
  ])("%s, in an unknown browser: the mail to the owner says “%s” [accounts-16]", async (step, how, link) => {
    const { email, passkey } = await withNewPasskey()
    world.clock.advance(61 * MINUTE)
    if (step === "alone") {
      const browser = start()
      const page = await browser.get("/sign-in/passkey")
      await browser.submit(page, "/sign-in/passkey", { passkey: passkey.get(optionsOf(page.text)) })
    } else await withPasskey((await begin(email)).browser, passkey)
    const letters = await mailTo(world, email)
    const [letter] = letters.filter(({ subject }) => subject === "A new browser signed in to your account")
    expect(letter?.text).toContain(`signed in to your account ${how}:`)
    expect(letter?.text).toContain(link)
  })

  it.each([
    ["without a PIN, a finger or a face", { isUserVerified: false }],
    ["made on another site", { origin: "https://places.example.evil.example" }],
    ["to a challenge that nobody issued", { challenge: "0".repeat(52) }],
    ["of nobody", { owner: null }],
    ["of somebody else", { owner: Buffer.from("usr_somebody_else").toString("base64url") }]
  ])("alone, an answer %s signs nobody in", async (_, on) => {
    const { passkey } = await withNewPasskey()
    const browser = start()
    const page = await browser.get("/sign-in/passkey")
    const answer = await browser.submit(page, "/sign-in/passkey", { passkey: passkey.get(optionsOf(page.text), on) })
    expect([answer.status, await isSignedIn(browser)]).toEqual([401, false])
    expect(deadLinks(answer.text)).toEqual([])
  })

  it("an answer is good for one challenge, once, within five minutes, and for what the page asked", async () => {
    const { email, passkey } = await withNewPasskey()
    const browser = start()
    const page = await browser.get("/sign-in/passkey")
    const response = passkey.get(optionsOf(page.text))
    expect((await browser.submit(page, "/sign-in/passkey", { passkey: response })).status).toBe(303)
    const replay = start()
    expect(
      (await replay.submit(await replay.get("/sign-in/passkey"), "/sign-in/passkey", { passkey: response })).status
    ).toBe(401)
    // A passkey signs a challenge of the page. The second step must not accept an answer to a challenge of the sign-in
    // page.
    const step = (await begin(email)).browser
    const other = optionsOf((await step.get("/sign-in/passkey")).text)
    expect((await secondStep(step, () => ({ passkey: passkey.get(other) }))).status).toBe(401)
    const late = start()
    const old = await late.get("/sign-in/passkey")
    world.clock.advance(5 * MINUTE)
    expect((await late.submit(old, "/sign-in/passkey", { passkey: passkey.get(optionsOf(old.text)) })).status).toBe(401)
  })

  it("the passkey of one account is no factor of another", async () => {
    const [mine, theirs] = [await withNewPasskey(), await withNewPasskey()]
    const { browser } = await begin(mine.email)
    for (const owner of [undefined, null, Buffer.from(mine.person.account.id).toString("base64url")]) {
      const on = owner === undefined ? {} : { owner }
      expect((await withPasskey(browser, theirs.passkey, on)).status).toBe(401)
    }
    expect((await withPasskey(browser, mine.passkey)).status).toBe(303)
  })

  it("a count of signatures that does not grow is refused; the owner gets a mail, the audit log an event", async () => {
    const { email, passkey, person } = await withNewPasskey()
    passkey.counter = 7
    expect((await withPasskey((await begin(email)).browser, passkey)).status).toBe(303)
    passkey.counter = 7
    const { browser } = await begin(email)
    expect((await withPasskey(browser, passkey)).status).toBe(401)
    expect((await mailTo(world, email)).map(({ subject }) => subject)).toContain(
      "A passkey of your account may have been copied"
    )
    const filter = { userId: person.account.id, kind: "passkey_copied" } as const
    const logged = await world.run(Effect.flatMap(AuditLog, (log) => log.list(filter, 10, undefined)))
    expect(logged.items.map(({ actor }) => actor._tag)).toEqual(["Stranger"])
    passkey.counter = 8
    expect((await withPasskey(browser, passkey)).status).toBe(303)
  })

  it("removing the last factor ends the second step, and the mails say so", async () => {
    const { browser, email } = await withNewPasskey()
    const page = await browser.get(FACTOR)
    const action = /action="([^"]+\/passkeys\/[^"]+\/remove)"/.exec(page.text)?.[1] ?? ""
    expect(where(await browser.submit(page, action))).toEqual([303, `${FACTOR}?done=passkey-removed`])
    expect((await begin(email)).answer.headers.get("location")).toBe("/portal/devices")
    expect((await mailTo(world, email)).map(({ subject }) => subject)).toContain(
      "A passkey was removed from your account"
    )
  })
})

describe("what needs a proof, with a second factor [accounts-17]", () => {
  const api = async (path: string, body: object, cookie = "") => {
    const init = jsonBody(body)
    const headers = { ...init.headers, origin: SERVICE, ...(cookie === "" ? {} : { cookie }) }
    return world.call(path, { ...init, method: path.endsWith("password") ? "PUT" : "POST", headers })
  }

  it("the password alone confirms nothing; with a code it does", async () => {
    const { email, person, secret } = await withCodeApp()
    world.clock.advance(15 * MINUTE)
    const change = { password: PASSWORD, new_password: "purple monkey dishwasher" }
    expect((await api("/v1/user/account/password", change, person.cookie)).json).toMatchObject({
      statusCode: 403,
      error: "confirmation_required"
    })
    const gone = await person.send("DELETE", "/v1/user/account", { password: PASSWORD })
    expect(gone.json).toMatchObject({ statusCode: 403, error: "confirmation_required" })
    const confirm = (fields: object) =>
      person.send("POST", "/v1/session/confirmation", { password: PASSWORD, ...fields })
    expect((await confirm({})).json).toMatchObject({ statusCode: 403, error: "second_factor_required" })
    expect((await confirm({ code: "000000" })).status).toBe(403)
    const code = codeAt(secret)
    expect((await confirm({ code })).status).toBe(204)
    expect((await confirm({ code })).status).toBe(403)
    expect((await api("/v1/user/account/password", change, person.cookie)).status).toBe(204)
    expect(email).toContain("@")
  })

  it.each([
    ["code", { code: "000000" }, 401],
    ["password", { password: "not this one" }, 403]
  ])("what was tried too often, the %s, is the field that the page names", async (field, wrong, status) => {
    const { browser, secret } = await withCodeApp()
    const page = await browser.get("/confirm")
    const confirm = (fields = {}) =>
      browser.submit(page, "/confirm", { password: PASSWORD, code: codeAt(secret), ...fields })
    for (let tried = 0; tried < 5; tried++) expect((await confirm(wrong)).status).toBe(status)
    const closed = await confirm()
    expect([closed.status, Number(closed.headers.get("retry-after")) > 0]).toEqual([429, true])
    const problems = [...closed.text.matchAll(/<li><a href="#(\w+)">/g)].map(([, name]) => name)
    expect(problems).toEqual([field])
  })

  it("a program signs in with password and code in one request", async () => {
    const { codes, email, secret } = await withCodeApp()
    const signIn = (fields: object) => api("/v1/session", { email, password: PASSWORD, ...fields })
    const without = await signIn({})
    expect(without.json).toMatchObject({ statusCode: 403, error: "second_factor_required" })
    expect(without.headers.getSetCookie()).toEqual([])
    expect((await signIn({ code: "000000" })).status).toBe(401)
    expect((await signIn({ code: codeAt(secret), password: "not this one" })).status).toBe(401)
    expect((await signIn({ code: codeAt(secret) })).status).toBe(201)
    expect((await signIn({ code: codes[0] ?? "" })).status).toBe(201)
  })

  it("a passkey confirms alone, only with a PIN, a finger or a face", async () => {
    const { browser, passkey } = await withNewPasskey()
    world.clock.advance(15 * MINUTE)
    const path = `/confirm?return_to=${encodeURIComponent(`${FACTOR}/add-passkey`)}`
    const page = await browser.get(path)
    const weak = await browser.submit(page, "/confirm", {
      passkey: passkey.get(optionsOf(page.text), { isUserVerified: false })
    })
    expect(weak.status).toBe(401)
    expect(deadLinks(weak.text)).toEqual([])
    const right = await browser.submit(weak, "/confirm", { passkey: passkey.get(optionsOf(weak.text)) })
    expect(where(right)).toEqual([303, `${FACTOR}/add-passkey`])
    expect((await browser.get(`${FACTOR}/add-passkey`)).status).toBe(200)
  })
})

describe("STAFF_SECOND_FACTOR=required [factors-9]", () => {
  it("staff without a factor reach only the pages that set one up; staff routes answer 403", async () => {
    const admin = await world.person({ roles: ["admin"] })
    const { browser } = await begin(admin.account.email)
    const consent = "/authorize?client_id=app_of_nobody"
    for (const path of ["/", "/review", "/admin", "/portal/connections", consent]) {
      expect(where(await browser.get(path))).toEqual([303, FACTOR])
    }
    expect((await browser.get(FACTOR)).text).toContain("this service requires a second factor")
    const refused = await admin.get("/v1/admin/reviews")
    expect([refused.status, refused.json]).toMatchObject([403, { error: "second_factor_missing" }])
    const staffed = await withCodeApp(["admin"])
    expect((await staffed.browser.get("/review")).status).toBe(200)
    const removal = async (browser: Visitor) => (await browser.get(FACTOR)).text
    expect(await removal(staffed.browser)).toContain("Without it you reach no page for reviewers and admins")
    expect(await removal((await withCodeApp([])).browser)).toContain("Without it, your password alone signs you in")
    expect((await staffed.person.get("/v1/admin/reviews")).status).toBe(200)
    // Tries to get around the check for a second factor with a path such as `/review;/../…`, which the router reads up
    // to the `;`. A check that resolved the `..` would treat the path as the page that sets a factor up, and allow the
    // request.
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join("; ")
    for (const path of ["/admin/accounts", "/review", "/portal/connections"]) {
      const up = "/..".repeat(path.split("/").length - 1)
      const lines = [`GET ${path};${up}${FACTOR} HTTP/1.1`, "host: places.example", `cookie: ${cookie}`]
      const [status, ...headers] = (await raw(world.url, lines)).split("\r\n")
      expect([path, status]).toEqual([path, "HTTP/1.1 303 See Other"])
      expect(headers.map((header) => header.toLowerCase())).toContain(`location: ${FACTOR}`)
    }
    // A person who is not staff, and has set up no second factor, still signs in with the password alone.
    const { browser: plain } = await begin((await world.person()).account.email)
    expect(await isSignedIn(plain)).toBe(true)
  })
})

describe("an owner who lost everything [factors-7]", () => {
  const ask = (person: { readonly account: { readonly email: string } }) =>
    world.run(removeFactors(person.account.email as Parameters<typeof removeFactors>[0]))
  const HOURS = 72 * Timestamp.HOUR

  it("an operator asks, and removes the factors 72 hours later, not a millisecond before", async () => {
    const { browser, email, person } = await withCodeApp()
    expect((await ask(person))._tag).toBe("Requested")
    expect((await mailTo(world, email)).map(({ subject }) => subject)).toContain(
      "Somebody asked to remove your second factor"
    )
    world.clock.advance(HOURS - 1)
    expect((await ask(person))._tag).toBe("Waiting")
    expect((await begin(email)).answer.headers.get("location")).toContain(STEP)
    world.clock.advance(1)
    expect((await ask(person))._tag).toBe("Removed")
    expect(await isSignedIn(browser)).toBe(false)
    expect((await begin(email)).answer.headers.get("location")).toBe("/portal/devices")
  })

  it("the owner's own factor stops it, and so does the button; a request lapses after a week", async () => {
    const { browser, email, person, secret } = await withCodeApp()
    const filter = { userId: person.account.id, kind: "factor_removal_stopped" } as const
    const stops = async () =>
      (await world.run(Effect.flatMap(AuditLog, (log) => log.list(filter, 10, undefined)))).items
    await ask(person)
    expect(await stops()).toEqual([])
    expect((await withCode((await begin(email)).browser, codeAt(secret))).status).toBe(303)
    expect(await stops()).toHaveLength(1)
    world.clock.advance(HOURS)
    expect((await ask(person))._tag).toBe("Requested")
    const page = await browser.get(FACTOR)
    expect(page.text).toContain("Keep my second factor")
    expect(where(await browser.submit(page, `${FACTOR}/keep`))).toEqual([303, `${FACTOR}?done=factor-kept`])
    expect((await stops()).map(({ actor }) => actor._tag)).toEqual(["Owner", "Owner"])
    world.clock.advance(HOURS)
    expect((await ask(person))._tag).toBe("Requested")
    world.clock.advance(HOURS + 7 * Timestamp.DAY)
    expect((await ask(person))._tag).toBe("Requested")
    expect(await stops()).toHaveLength(2)
    // A thief who has only the password, or only the mailbox, can neither stop the removal of the factors nor remove
    // them at once.
    expect((await begin(email)).answer.headers.get("location")).toContain(STEP)
  })
})
