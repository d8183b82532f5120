import { Account, chooseLanguage } from "@place-access/domain/accounts"
import { SignUpRequest } from "@place-access/domain/credentials"
import { Fixtures, MemoryDatabase, samplePng } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, signedIn } from "../support/browsing.js"
import { sendLogo } from "../support/logoForm.js"
import { mailTo } from "../support/mailbox.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld({ addressRule: "confirmed" })
})
afterAll(() => world.close())

const EMAIL = "/portal/settings/email"
const CONFIRM = `${EMAIL}/confirm`
const DELETE = "/portal/settings/delete-account"

const setConfirmed = async ({ account }: Person, confirmedAt: typeof account.confirmedAt) => {
  const { accounts } = await world.run(MemoryDatabase)
  const stored = accounts.get(account.id)
  if (stored !== undefined) accounts.set(account.id, { ...stored, account: { ...stored.account, confirmedAt } })
}

/** A signed-in person whose address nobody confirmed. */
const unconfirmed = async () => {
  const person = await world.person()
  await setConfirmed(person, null)
  return { person, browser: await signedIn(world, person.account.email) }
}

describe("a link that confirms the address [accounts-11]", () => {
  it("three are mailed in half an hour; the page names the limit, and says the same to the fourth", async () => {
    const { browser, person } = await unconfirmed()
    const page = await browser.get(EMAIL)
    const notices: Array<string> = []
    for (let nth = 1; nth <= 4; nth++) {
      const answer = await browser.submit(page, CONFIRM)
      notices.push((await browser.get(answer.headers.get("location") ?? "")).text)
    }
    expect(await mailTo(world, person.account.email)).toHaveLength(3)
    for (const text of notices) {
      expect(text).toContain("We send at most three links in half an hour.")
      expect(text).not.toContain("We mailed you a link.")
    }
  })

  it("an address that is confirmed already gets none, and the page says that it is confirmed", async () => {
    const { browser, person } = await unconfirmed()
    const page = await browser.get(EMAIL)
    await setConfirmed(person, person.account.confirmedAt)
    const answer = await browser.submit(page, CONFIRM)
    expect((await browser.get(answer.headers.get("location") ?? "")).text).toContain("Your address is confirmed.")
    expect(await mailTo(world, person.account.email)).toEqual([])
  })

  it("a link to a new address: the page names the limit as well", async () => {
    const { browser } = await unconfirmed()
    const answer = await browser.submit(await browser.get(EMAIL), EMAIL, { email: "elsewhere@example.com" })
    const { text } = await browser.get(answer.headers.get("location") ?? "")
    expect(text).toContain("We send at most three links to one address in 24 hours.")
  })
})

describe("an account that lost its address, because somebody else confirmed it [accounts-12]", () => {
  it("reads in the settings that it has no address, and is offered no mail to the placeholder", async () => {
    const { browser, person } = await unconfirmed()
    const page = await browser.get(EMAIL)
    const { accounts } = await world.run(MemoryDatabase)
    const stored = accounts.get(person.account.id)
    const email = SignUpRequest.releasedEmail(person.account.id)
    if (stored !== undefined) accounts.set(person.account.id, { ...stored, account: { ...stored.account, email } })
    const { text } = await browser.get(EMAIL)
    expect(text).toContain("Your account has no e-mail address")
    expect([text.includes(`lead">${email}`), text.includes(CONFIRM)]).toEqual([false, false])
    // Sends the form of a page from before the account lost its address: no page may say that a link is on its way.
    const answer = await browser.submit(page, CONFIRM)
    expect([answer.status, answer.headers.get("location")]).toEqual([303, EMAIL])
    expect(await mailTo(world, email)).toEqual([])
    expect(text).toContain("you can connect no app")
  })

  it("reads nothing about what it cannot do, where every address counts as confirmed [accounts-11]", async () => {
    const local = await startWorld()
    const person = await local.person()
    const browser = await signedIn(local, person.account.email)
    const { accounts } = await local.run(MemoryDatabase)
    const stored = accounts.get(person.account.id)
    const email = SignUpRequest.releasedEmail(person.account.id)
    const lost = { email, confirmedAt: null }
    if (stored !== undefined) accounts.set(person.account.id, { ...stored, account: { ...stored.account, ...lost } })
    const { text } = await browser.get(EMAIL)
    await local.close()
    expect(text).toContain("Your account has no e-mail address")
    expect(text).not.toContain("you can connect no app")
  })
})

describe("the pages that change an address [accounts-13]", () => {
  const release = async ({ account }: Person) => {
    const { accounts } = await world.run(MemoryDatabase)
    const stored = accounts.get(account.id)
    const email = SignUpRequest.releasedEmail(account.id)
    if (stored !== undefined) accounts.set(account.id, { ...stored, account: { ...stored.account, email } })
  }

  it.each([
    ["unconfirmed", false],
    ["released", false],
    ["confirmed", true]
  ])("promise an undo link only to an old address that gets one, and name no placeholder: %s", async (state, has) => {
    const { browser, person } = await unconfirmed()
    if (state === "released") await release(person)
    if (state === "confirmed") await setConfirmed(person, person.account.confirmedAt)
    const settings = await browser.get(EMAIL)
    const email = `new-${state}@example.com`
    await browser.submit(settings, EMAIL, { email })
    const [letter] = await mailTo(world, email)
    const link = new URL(/http:\/\/\S+/.exec(letter?.text ?? "")?.[0] ?? "")
    for (const language of ["en", "de"]) {
      const page = await browser.get(link.pathname + link.search, { "accept-language": language })
      expect(page.text).toContain(email)
      expect(page.text.slice(page.text.indexOf("<main"))).not.toMatch(/account\.invalid/i)
      expect(/undoes the change for 7 days|7 Tage lang rückgängig/.test(page.text), language).toBe(has)
      const form = await browser.get(EMAIL, { "accept-language": language })
      expect(/undoes the change for 7 days|7 Tage lang rückgängig/.test(form.text), language).toBe(has)
    }
    await browser.submit(await browser.get(link.pathname + link.search), "/confirm-address")
    expect(await mailTo(world, person.account.email)).toHaveLength(has ? 1 : 0)
  })
})

describe("a purpose of a developer whose address nobody confirmed [accounts-11]", () => {
  it("leads to the settings in place of the review, when it is submitted and when an approved one is edited", async () => {
    const { browser, person } = await unconfirmed()
    const { app } = await world.app(person)
    const terms = { description: "Shows you on a map", scopes: ["location.lookup"], expectedDailyVolume: 24 } as const
    const made = Effect.all([
      Fixtures.purpose(app.id, "find_me", { terms }),
      Fixtures.purpose(app.id, "find_you", { status: "approved", terms, approved: terms })
    ])
    const [draft, approved] = await world.run(made)
    const pathOf = ({ id }: { readonly id: string }) => `/developer/apps/${app.id}/purposes/${id}`
    const submitted = await browser.submit(await browser.get(pathOf(draft)), `${pathOf(draft)}/submit`)
    const edited = await browser.submit(await browser.get(pathOf(approved)), pathOf(approved), {
      purpose_description: terms.description,
      purpose_scopes: "location.lookup",
      expected_daily_volume: "25"
    })
    for (const answer of [submitted, edited]) {
      expect([answer.status, answer.headers.get("location")]).toEqual([303, EMAIL])
    }
    const list = (await person.get(`/v1/developer/apps/${app.id}/purposes`)).json
    expect(list).toMatchObject({ purposes: [{ status: "draft" }, { status: "approved", expected_daily_volume: 24 }] })
  })
})

describe("an app in production of a developer whose address nobody confirmed [accounts-11]", () => {
  const opened = async () => {
    const { browser, person } = await unconfirmed()
    const { app } = await world.app(person, { status: "production" })
    const [path, api] = [`/developer/apps/${app.id}`, `/v1/developer/apps/${app.id}`]
    const about = { name: app.name, description: app.description, homepage_url: "", scopes: app.declaredScopes }
    return { about, api, app, browser, path, person, before: (await person.get(api)).json }
  }
  const NEW_ORIGIN = "https://elsewhere.example.com/callback"

  it("a form whose change would go into review leads to the settings, and nothing is stored", async () => {
    const { about, api, app, before, browser, path, person } = await opened()
    const page = await browser.get(path)
    const answers = [
      await browser.submit(page, path, { ...about, name: "Tea Finder" }),
      await browser.submit(page, `${path}/redirect-uris`, { redirect_uris: NEW_ORIGIN }),
      await sendLogo(world.url, browser, await browser.get(`${path}/logo`), `${path}/logo`, samplePng("cup"))
    ]
    expect(answers.map(({ headers, status }) => [status, headers.get("location")])).toEqual([
      [303, EMAIL],
      [303, EMAIL],
      [303, EMAIL]
    ])
    expect((await person.get(api)).json).toEqual(before)
    expect((await person.get(`${api}/secrets`)).json).toMatchObject({ secrets: [expect.anything()] })
    // A change that needs no reviewer is saved: a scope that the app gives up, and a path on an approved origin.
    const path2 = new URL("/second", app.redirectUris[0]).href
    const fewer = { scopes: app.declaredScopes.slice(1) }
    const saved = await browser.submit(page, path, { ...about, ...fewer })
    expect(saved.headers.get("location")).toBe(`${path}?done=app-changed`)
    const registered = await browser.submit(await browser.get(path), `${path}/redirect-uris`, { redirect_uris: path2 })
    expect(registered.headers.get("location")).toBe(`${path}?done=app-changed`)
    expect((await person.get(api)).json).toMatchObject({ ...fewer, redirect_uris: [path2], pending: null })
  })

  it("an API call whose change would go into review is 403, and nothing is stored", async () => {
    const { api, app, before, person } = await opened()
    const answers = [
      await person.send("PATCH", api, { name: "Tea Finder" }),
      await person.send("PATCH", api, { logo_png: samplePng("cup") }),
      await person.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris: [NEW_ORIGIN] })
    ]
    for (const answer of answers) {
      expect([answer.status, answer.json]).toMatchObject([403, { message: Account.UNCONFIRMED }])
    }
    expect((await person.get(api)).json).toEqual(before)
    expect((await person.get(`${api}/secrets`)).json).toMatchObject({ secrets: [expect.anything()] })
    await setConfirmed(person, person.account.confirmedAt)
    expect((await person.send("PATCH", api, { name: "Tea Finder" })).json).toMatchObject({
      pending: { name: { proposed: "Tea Finder" } }
    })
  })

  it("nothing is added to a change that waits already; the change can be withdrawn", async () => {
    const { about, api, app, browser, path, person } = await opened()
    await setConfirmed(person, person.account.confirmedAt)
    await person.send("PATCH", api, { name: "Tea Finder" })
    const waiting = (await person.get(api)).json
    await setConfirmed(person, null)
    const answers = [
      await person.send("PATCH", api, { description: "Finds good tea." }),
      await person.send("PATCH", api, { name: "Your Bank" }),
      await person.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris: [NEW_ORIGIN] })
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    const page = await browser.get(path)
    const added = { ...about, name: "Tea Finder", description: "Finds good tea." }
    expect((await browser.submit(page, path, added)).headers.get("location")).toBe(EMAIL)
    expect((await person.get(api)).json).toEqual(waiting)
    // A form that changes nothing is accepted, as it is for an account with a confirmed address.
    const same = await browser.submit(page, path, { ...about, name: "Tea Finder" })
    expect(same.headers.get("location")).toBe(`${path}?done=app-change-waits`)
    await browser.submit(page, `${path}/withdraw`)
    expect((await person.get(api)).json).toMatchObject({ name: app.name, pending: null })
  })

  it("nothing is changed about an app that waits for its first review", async () => {
    const { browser, person } = await unconfirmed()
    const { app } = await world.app(person)
    const [path, api] = [`/developer/apps/${app.id}`, `/v1/developer/apps/${app.id}`]
    expect((await browser.submit(await browser.get(path), `${path}/submit`)).headers.get("location")).toBe(EMAIL)
    expect((await person.send("PATCH", api, { name: "Tea Finder" })).status).toBe(200)
    await setConfirmed(person, person.account.confirmedAt)
    expect((await person.send("POST", `${api}/submit`)).json).toMatchObject({ status: "in_review" })
    await setConfirmed(person, null)
    expect((await person.send("PATCH", api, { name: "Your Bank" })).status).toBe(403)
    expect((await person.get(api)).json).toMatchObject({ name: "Tea Finder" })
  })
})

describe("pages about mails [accounts-11]", () => {
  it.each([
    ["unconfirmed", false],
    ["confirmed", true]
  ])(
    "promise a mail only to an address that gets one, and lead others to the page that confirms it: %s",
    async (_, isConfirmed) => {
      const { browser, person } = await unconfirmed()
      if (isConfirmed) await setConfirmed(person, person.account.confirmedAt)
      const note = "Your e-mail address is not confirmed, so we send no mail there."
      const [archive, notices] = ["/portal/settings/export", "/portal/settings/notices"]
      const before = [await browser.get(archive), await browser.get(notices)]
      const requested = await browser.submit(await browser.get(archive), archive)
      const making = await browser.get(requested.headers.get("location") ?? "")
      for (const { text } of [...before, making])
        expect([text.includes(note), text.includes(EMAIL)]).toEqual([!isConfirmed, !isConfirmed])
      for (const { text } of [before[0] ?? making, making]) expect(text.includes("you an e-mail")).toBe(isConfirmed)
      const chosen = await browser.submit(await browser.get(notices), notices, { notice: ["weekly"] })
      const after = await browser.get(chosen.headers.get("location") ?? "")
      expect(after.text.includes("We mail you what you ticked")).toBe(isConfirmed)
    }
  )
})

describe("settings of a person whose address nobody confirmed [accounts-11]", () => {
  it.each([
    ["unconfirmed", false],
    ["confirmed", true]
  ])("promise a mail about a password and an address only to an address that gets one: %s", async (_, isConfirmed) => {
    const { browser, person } = await unconfirmed()
    if (isConfirmed) await setConfirmed(person, person.account.confirmedAt)
    const { text } = await browser.get("/portal/settings")
    expect(["We tell you by mail.", "and we write there."].map((promise) => text.includes(promise))).toEqual([
      isConfirmed,
      isConfirmed
    ])
  })
})

describe("a service that sends no mail [accounts-11]", () => {
  it("promises none to an address without a confirmation, and asks nobody to confirm it", async () => {
    const silent = await startWorld()
    try {
      const person = await silent.person()
      const { accounts } = await silent.run(MemoryDatabase)
      const stored = accounts.get(person.account.id)
      if (stored !== undefined) {
        accounts.set(person.account.id, { ...stored, account: { ...stored.account, confirmedAt: null } })
      }
      const browser = await signedIn(silent, person.account.email)
      for (const path of ["/portal/settings/export", "/portal/settings/notices"]) {
        const { text } = await browser.get(path)
        expect(text).toContain("This service sends no mail.")
        expect(text).not.toContain("We write you an e-mail")
        expect(text).not.toContain(EMAIL)
      }
    } finally {
      await silent.close()
    }
  })
})

describe("the deletion of an account", () => {
  it.each([
    ["unconfirmed", false],
    ["confirmed", true]
  ])("promises a mail only to an address that gets one: %s", async (_, isConfirmed) => {
    const { browser, person } = await unconfirmed()
    if (isConfirmed) await setConfirmed(person, person.account.confirmedAt)
    const page = await browser.get(DELETE)
    const deleted = await browser.submit(page, DELETE, { password: PASSWORD, word: "delete" })
    expect(deleted.status).toBe(303)
    const after = await browser.get(deleted.headers.get("location") ?? "")
    expect(after.text).toContain("You can remove the app that sent your location from your phone.")
    expect(page.text).toContain("You can create a new account with it at any time.")
    expect(page.text.includes("One e-mail tells you")).toBe(isConfirmed)
    expect(after.text.includes("An e-mail confirms it.")).toBe(isConfirmed)
    expect(await mailTo(world, person.account.email)).toHaveLength(isConfirmed ? 1 : 0)
  })
})

describe("pages without navigation are in the language of the account [languages-1]", () => {
  it("the page that asks to confirm the address before an app is connected", async () => {
    const { browser, person } = await unconfirmed()
    const { app } = await world.app(await world.person(), { status: "production" })
    await world.run(chooseLanguage(person.account.id, "de"))
    const page = await browser.get(authorizePath(app), { "accept-language": "en" })
    expect([page.status, page.text.includes('<html lang="de">')]).toEqual([403, true])
  })

  it("the page of a link to an address that somebody else confirmed meanwhile", async () => {
    const { browser, person } = await unconfirmed()
    const email = "taken-meanwhile@example.com"
    await browser.submit(await browser.get(EMAIL), EMAIL, { email })
    const [letter] = await mailTo(world, email)
    const link = new URL(/http:\/\/\S+/.exec(letter?.text ?? "")?.[0] ?? "")
    await world.person({ email })
    await world.run(chooseLanguage(person.account.id, "de"))
    const page = await browser.get(link.pathname + link.search, { "accept-language": "en" })
    const taken = await browser.submit(page, "/confirm-address")
    expect([taken.status, taken.text.includes('<html lang="de">')]).toEqual([409, true])
    const dead = await browser.get("/confirm-address?token=none", { "accept-language": "en" })
    expect([dead.status, dead.text.includes('<html lang="de">')]).toEqual([404, true])
  })
})
