import type { Account } from "@place-access/domain/accounts"
import { SignUpRequest } from "@place-access/domain/credentials"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, signedIn } from "../support/browsing.js"
import { mailTo } from "../support/mailbox.js"
import { visitor } from "../support/visitor.js"
import { PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld({ addressRule: "confirmed" })
})
afterAll(() => world.close())

const EMAIL = "/portal/settings/email"

/** Takes the address of the account away, as when somebody else confirms it. */
const release = async <A extends Pick<Person, "account">>(owner: A, at = world): Promise<A> => {
  await at.run(setAddress(owner, SignUpRequest.releasedEmail(owner.account.id)))
  return owner
}

const setAddress = ({ account }: Pick<Person, "account">, email: Account.Email) =>
  Effect.map(MemoryDatabase, ({ accounts }) => {
    const stored = accounts.get(account.id)
    if (stored !== undefined) {
      accounts.set(account.id, { ...stored, account: { ...stored.account, email, confirmedAt: null } })
    }
  })

/** A signed-in person with an address that nobody confirmed, or that somebody else confirmed meanwhile. */
const person = async (isReleased: boolean) => {
  const owner = await world.person()
  const { account } = owner
  const browser = await signedIn(world, account.email)
  await (isReleased ? release(owner) : world.run(setAddress(owner, account.email)))
  return { account, browser }
}

const SENTENCES = { en: "Your account has no e-mail address", de: "Ihr Konto hat keine E-Mail-Adresse" }

describe("the pages of an account that lost its address [accounts-12]", () => {
  it("say so once and link to the page that sets another one; no page shows the placeholder", async () => {
    const { account, browser } = await person(true)
    const { app } = await world.app(await world.person(), { status: "production" })
    const framed = ["/", "/portal/settings", EMAIL, "/portal/settings/delete-account", "/portal/devices"]
    for (const path of [...framed, "/sign-in", "/confirm", "/portal/settings/password", authorizePath(app)]) {
      for (const language of ["en", "de"] as const) {
        const { text } = await browser.get(path, { "accept-language": language })
        expect([path, /account\.invalid/i.test(text)]).toEqual([path, false])
        if (!framed.includes(path)) continue
        expect([path, text.split("<main")[1]?.split(SENTENCES[language]).length]).toEqual([
          path,
          path === "/portal/settings" ? 3 : 2
        ])
        expect([path, text.includes(`href="${EMAIL}"`)]).toEqual([path, path !== EMAIL])
        expect(text).toContain(`<span>${account.displayName}</span>`)
      }
    }
  })

  it("an app for one-time codes gets the account's name in place of the placeholder", async () => {
    const { account, browser } = await person(true)
    const factor = "/portal/settings/second-factor"
    await browser.submit(await browser.get(factor), `${factor}/app/begin`)
    const { text } = await browser.get(`${factor}/app`)
    const [, link = ""] = /href="(otpauth:[^"]*)"/.exec(text) ?? []
    expect(decodeURIComponent(new URL(link.replaceAll("&amp;", "&")).pathname)).toMatch(
      new RegExp(`:${account.displayName}$`)
    )
  })

  it("where every address counts as confirmed, the consent page and a new passkey have the account's name alone", async () => {
    const local = await startWorld({ atName: true })
    try {
      const { app } = await local.app(await local.person(), { status: "production" })
      const owner = await local.person()
      const { displayName, email } = owner.account
      const browser = await signedIn(local, email)
      const consent = async (language: string) =>
        (await browser.get(authorizePath(app), { "accept-language": language })).text
      expect(await consent("en")).toContain(`Your account: ${displayName} (${email}).`)
      await release(owner, local)
      const texts = [await consent("en"), await consent("de")]
      expect(texts[0]).toContain(`Your account: ${displayName}.`)
      expect(texts[1]).toContain(`Ihr Konto: ${displayName}.`)
      const { text } = await browser.get("/portal/settings/second-factor/add-passkey")
      const shown = text.replaceAll("&quot;", '"')
      expect(shown).toContain(`"name":"${displayName}","displayName":"${displayName}"`)
      for (const one of [...texts, text]) expect(one).not.toMatch(/account\.invalid/i)
    } finally {
      await local.close()
    }
  })

  it("admins and reviewers read that the account has no address, and the API gives null to them and to the owner", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const { account } = await release(owner)
    const staff = await world.person({ roles: ["admin", "reviewer"] })
    const browser = await signedIn(world, staff.account.email)
    const page = await browser.get(`/admin/accounts/${account.id}`)
    expect(page.text).toMatch(/<dt>E-mail address<\/dt>\s*<dd>no address<\/dd>/)
    const german = await browser.get(`/admin/accounts/${account.id}`, { "accept-language": "de" })
    expect(german.text).toMatch(/<dd>keine Adresse<\/dd>/)
    for (const path of ["/admin", "/review/apps", `/review/apps/${app.id}`]) {
      const { status, text } = await browser.get(path)
      expect([path, status, text.includes(account.displayName), /account\.invalid/i.test(text)]).toEqual([
        path,
        200,
        true,
        false
      ])
    }
    const found = await staff.send("POST", "/v1/admin/accounts/search", { account: account.id })
    const reviewed = await staff.get(`/v1/admin/apps/${app.id}`)
    const team = await owner.get(`/v1/developer/apps/${app.id}/team`)
    expect([found.json, reviewed.json, team.json, (await owner.get("/v1/session")).json]).toMatchObject([
      { id: account.id, email: null },
      { developer: { id: account.id, email: null } },
      { members: [{ name: account.displayName, email: null }] },
      { id: account.id, email: null }
    ])
  })

  it("an account with an unconfirmed address reads nothing of it, and sees the address", async () => {
    const { account, browser } = await person(false)
    const { text } = await browser.get("/")
    expect(text).not.toContain(SENTENCES.en)
    expect(text).toContain(`<span>${account.email}</span>`)
  })
})

describe("the page that confirms a sign-up [accounts-12]", () => {
  const opened = async (email: string) => {
    await fetch(`${world.url}/v1/accounts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password: PASSWORD })
    })
    const letter = (await mailTo(world, email)).at(-1)
    const link = new URL(/http:\/\/\S+/.exec(letter?.text ?? "")?.[0] ?? "")
    const page = async (language: string) => (await fetch(link, { headers: { "accept-language": language } })).text()
    return { link, en: await page("en"), de: await page("de") }
  }

  it("says before the decision that an account with this address was never confirmed, and loses the address", async () => {
    const { account } = await person(false)
    const { de, en } = await opened(account.email)
    expect(en).toContain("There is an account with this address already, which nobody confirmed.")
    expect(de).toContain("Es gibt schon ein Konto mit dieser Adresse, die niemand bestätigt hat.")
    const free = await opened("nobody-has-this@example.com")
    expect([free.en.includes("There is an account"), free.de.includes("Es gibt schon ein Konto")]).toEqual([
      false,
      false
    ])
  })

  it("is gone when the account has confirmed the address meanwhile; the button then signs the account's owner in", async () => {
    const { account } = await person(false)
    const { link } = await opened(account.email)
    const { accounts } = await world.run(MemoryDatabase)
    const stored = accounts.get(account.id)
    const browser = visitor(world.url)
    const page = await browser.get(link.pathname + link.search)
    if (stored !== undefined) {
      accounts.set(account.id, { ...stored, account: { ...account, confirmedAt: account.createdAt } })
    }
    const dead = await browser.get(link.pathname + link.search)
    expect([dead.status, dead.text.includes("There is an account with this address")]).toEqual([404, false])
    const pressed = await browser.submit(page, "/confirm-sign-up", { username: account.email, password: PASSWORD })
    expect([pressed.status, browser.cookies.has("session")]).toEqual([303, true])
  })
})
