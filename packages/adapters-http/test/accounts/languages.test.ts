import { AccountStore } from "@place-access/domain/accounts"
import { UserId } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { mailTo } from "../support/mailbox.js"
import { hidden, visitor } from "../support/visitor.js"
import { jsonBody } from "../support/wire.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const PAGE = "/portal/settings/language"

interface Body {
  readonly language: string | null
}

const signedIn = async (email: string) => {
  const browser = visitor(world.url)
  await browser.submit(await browser.get("/sign-in"), "/sign-in", { email, password: PASSWORD })
  return browser
}

describe("the language of an account [accounts-20]", () => {
  it("that of the first browser that signs in is learned for mails, and is no choice", async () => {
    const person = await world.person()
    const languages = () =>
      world.run(
        Effect.gen(function* () {
          const found = yield* (yield* AccountStore).find(UserId.make(person.account.id))
          const { browserLanguage, language } = Option.getOrThrow(found)
          return [browserLanguage, language]
        })
      )
    const credentials = { email: person.account.email, password: PASSWORD }
    const enter = async (header: string) => {
      const browser = visitor(world.url)
      const page = await browser.get("/sign-in")
      const token = /name="form_token"[^>]*value="([^"]*)"/.exec(page.text)?.[1]
      const form = { ...credentials, ...(token === undefined ? {} : { form_token: token }) }
      expect((await browser.post("/sign-in", form, { "accept-language": header })).status).toBe(303)
    }
    // The test's client sends `accept-language: *`, as programs do. `*` names no language, so the service stores none.
    expect(await languages()).toEqual([null, null])
    await enter("fr, !;q=9")
    expect(await languages()).toEqual([null, null])
    await enter("fr, de-AT;q=0.9, en;q=0.8")
    expect(await languages()).toEqual(["de", null])
    await enter("en")
    expect(await languages()).toEqual(["de", null])
    expect(((await person.get("/v1/session")).json as Body).language).toBeNull()
  })

  it("is chosen in the settings or over the API, and given back to the browser", async () => {
    const person = await world.person()
    const browser = await signedIn(person.account.email)
    const chosen = async () => ((await person.get("/v1/session")).json as Body).language
    const page = await browser.get(PAGE)
    expect(page.text).toMatch(/<option value="browser"\s+selected>/)
    const wrong = await browser.submit(page, PAGE, { language: "fr" })
    expect([wrong.status, wrong.text.includes('href="#language"'), await chosen()]).toEqual([400, true, null])

    const saved = await browser.submit(page, PAGE, { language: "de" })
    expect([saved.status, await chosen()]).toEqual([303, "de"])
    expect((await browser.get(PAGE)).text).toMatch(/<option value="de"\s+selected>/)
    expect((await browser.get("/portal/settings?done=language-chosen")).text).toContain('<strong lang="de">Deutsch')

    await browser.submit(page, PAGE, { language: "browser" })
    expect(await chosen()).toBeNull()

    const put = (language: unknown) => person.send("PUT", "/v1/user/language", { language })
    const [answer, refused] = [await put("en"), await put("fr")]
    expect([answer.status, (answer.json as Body).language, refused.status]).toEqual([200, "en", 400])
    expect((await put(null)).status).toBe(200)
    expect(await chosen()).toBeNull()
  })

  it("is not changed by a form without its token", async () => {
    const person = await world.person()
    const browser = await signedIn(person.account.email)
    expect((await browser.post(PAGE, { language: "de" })).status).toBe(403)
    expect(((await person.get("/v1/session")).json as Body).language).toBeNull()
  })
})

describe("the mail with the link of a sign-up is in the language of the browser that asked for it [accounts-20]", () => {
  const ENGLISH = "Confirm your e-mail address"
  const GERMAN = "Bestätigen Sie Ihre E-Mail-Adresse"
  let mailing: World
  beforeAll(async () => {
    mailing = await startWorld({ addressRule: "confirmed" })
  })
  afterAll(() => mailing.close())

  const post = (path: string, body: unknown, language: string) => {
    const init = jsonBody(body)
    const headers = { ...init.headers, "accept-language": language }
    // The mailbox lists mails by their time, so each mail needs a time of its own.
    mailing.clock.advance(1_000)
    return mailing.call(path, { ...init, method: "POST", headers })
  }
  /** The subjects of the mails to the address, the oldest first, when there are `count` of them. */
  const subjects = (email: string, count: number) =>
    vi.waitFor(async () => {
      const letters = await mailTo(mailing, email)
      expect(letters).toHaveLength(count)
      return letters.map(({ subject }) => subject).toReversed()
    })

  it("over the API and on the page, also when the link is mailed again; otherwise in English", async () => {
    const [byApi, byPage] = ["api@example.com", "page@example.com"]
    const person = { email: byApi, password: PASSWORD }
    expect((await post("/v1/accounts", person, "de-AT,en;q=0.5")).status).toBe(202)
    expect(await subjects(byApi, 1)).toEqual([GERMAN])
    expect((await post("/v1/accounts/confirmations", { email: byApi }, "*")).status).toBe(202)
    expect(await subjects(byApi, 2)).toEqual([GERMAN, ENGLISH])
    expect((await post("/v1/accounts/confirmations", { email: byApi }, "de")).status).toBe(202)
    expect(await subjects(byApi, 3)).toEqual([GERMAN, ENGLISH, GERMAN])

    const browser = visitor(mailing.url)
    const german = { "accept-language": "de" }
    const page = await browser.get("/sign-up", german)
    const fields = { ...hidden(page, "/sign-up"), email: byPage, password: PASSWORD, keep_days: "90" }
    const sent = await browser.post("/sign-up", fields, german)
    await browser.post("/sign-up/resend", hidden(sent, "/sign-up/resend"), german)
    expect(await subjects(byPage, 2)).toEqual([GERMAN, GERMAN])
  })

  it("its text is the German one, with the time in UTC, and the link works", async () => {
    const email = "ganz@example.com"
    await post("/v1/accounts", { email, password: PASSWORD }, "de")
    const [letter] = await mailTo(mailing, email)
    expect(letter?.text).toContain("Jemand hat sich mit dieser Adresse registriert.")
    expect(letter?.text).toContain("UTC")
    expect(letter?.text).not.toMatch(/Somebody|If it was|Confirm the address/)
    const token = /token=([0-9a-z]{52})/.exec(letter?.text ?? "")?.[1]
    expect((await post("/v1/accounts/confirmations/use", { token, password: PASSWORD }, "*")).status).toBe(201)
  })

  it("the mail to the owner of an account with this address stays in the owner's language", async () => {
    const owner = await mailing.person()
    await post("/v1/accounts", { email: owner.account.email, password: PASSWORD }, "de")
    expect(await subjects(owner.account.email, 1)).toEqual(["You have an account already"])
  })
})
