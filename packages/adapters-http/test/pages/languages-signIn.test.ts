import { textsIn } from "@place-access/adapters-http/languages/index"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as OTPAuth from "otpauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { visitor } from "../support/visitor.js"
import { call } from "../support/wire.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld({ atName: true })
})
afterAll(() => world.close())

const ask = (path: string, language: string) =>
  call(world.url + path, { headers: { accept: "text/html", "accept-language": language } })

/** The texts of a page's script. The function reads them from the attribute `data-texts`, like the browser. */
const scriptTexts = (page: string): unknown =>
  JSON.parse((/ data-texts="([^"]*)"/.exec(page)?.[1] ?? "null").replaceAll("&quot;", '"').replaceAll("&#39;", "'"))

const german = async () => {
  const person = await world.person()
  const browser = visitor(world.url)
  await browser.submit(await browser.get("/sign-in"), "/sign-in", { email: person.account.email, password: PASSWORD })
  const settings = "/portal/settings/language"
  await browser.submit(await browser.get(settings), settings, { language: "de" })
  return { browser, email: person.account.email }
}

describe("pages of signing in [languages-1]", () => {
  it.each([
    ["/", 200, "Ihre Orte, Ihre Regeln"],
    ["/sign-in", 200, "Anmelden"],
    ["/sign-in/passkey", 200, "Mit einem Passkey anmelden"],
    ["/sign-up", 200, "Konto erstellen"],
    ["/forgot-password", 200, "Neues Passwort festlegen"],
    ["/unlock-link", 200, "Anmelden, obwohl andere raten"],
    ["/reset-password?token=x", 404, "Dieser Link gilt nicht mehr"],
    ["/confirm-sign-up?token=x", 404, "Dieser Link gilt nicht mehr"],
    ["/undo-address?token=x", 404, "Dieser Link gilt nicht mehr"],
    ["/unlock?token=x", 404, "Dieser Link gilt nicht mehr"],
    ["/nowhere", 404, "Diese Seite gibt es nicht"]
  ])("%s speaks German to a browser that asks for German", async (path, status, heading) => {
    const page = await ask(path, "de")
    expect(page.status).toBe(status)
    expect(page.text).toContain('<html lang="de">')
    expect(page.text).toContain(`<h1>${heading}</h1>`)
    expect(page.text).not.toMatch(/\b(?:the|your|password|sign)\b(?![^<]*>)/i)
    expect((await ask(path, "en")).text).toContain('<html lang="en">')
  })

  it("the account's language counts on pages of signed-in people, their navigation and their errors included", async () => {
    const { browser } = await german()
    for (const [path, heading] of [
      ["/portal/settings/second-factor", "Ihr zweiter Faktor"],
      ["/portal/settings/second-factor/add-passkey", "Passkey hinzufügen"],
      ["/portal/settings/email", "Ihre E-Mail-Adresse"],
      ["/confirm", "Bestätigen Sie, dass Sie es sind"],
      ["/portal/places/plc_none", "Diese Seite gibt es nicht"]
    ] as const) {
      const { text } = await browser.get(path)
      expect(text).toContain(`<h1>${heading}</h1>`)
      expect(text).toMatch(/<nav aria-label="Hauptnavigation">[\s\S]*Heute[\s\S]*Orte[\s\S]*Geräte/)
      expect(text).toContain('<span class="roomy">Verbundene </span>Apps')
    }
    expect((await browser.get("/portal/places/plc_none")).text).toContain("<p>Diesen Ort gibt es nicht.</p>")
  })

  it("the second step is in the account's language, once the password was right", async () => {
    const owner = await german()
    const factor = "/portal/settings/second-factor"
    await owner.browser.submit(await owner.browser.get(factor), `${factor}/app/begin`)
    const setUp = await owner.browser.get(`${factor}/app`)
    const secret = (/<code class="breaks">([^<]+)</.exec(setUp.text)?.[1] ?? "").replaceAll(" ", "")
    const code = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) }).generate({
      timestamp: world.clock.now()
    })
    await owner.browser.submit(setUp, `${factor}/app`, { code })

    const browser = visitor(world.url)
    const enter = async (password: string) =>
      browser.submit(await browser.get("/sign-in"), "/sign-in", { email: owner.email, password })
    const wrong = await enter("not this one")
    expect([wrong.status, wrong.text.includes('<html lang="en">')]).toEqual([401, true])
    const step = (await enter(PASSWORD)).headers.get("location") ?? ""
    const requested = await browser.get(step, { "accept-language": "en" })
    expect([requested.status, requested.text.includes('<html lang="de">')]).toEqual([200, true])
    const repeated = await browser.submit(requested, "/sign-in/second-step", { code: "000000" })
    expect([repeated.status, repeated.text.includes('<html lang="de">')]).toEqual([401, true])
  })

  it("the fault of a field goes on after its label, in German as in English", async () => {
    const language = { "accept-language": "de" }
    const browser = visitor(world.url)
    const page = await browser.get("/sign-up")
    const token = /name="form_token"[^>]*value="([^"]*)"/.exec(page.text)?.[1] ?? ""
    const wrong = { form_token: token, email: "nobody", password: "short", keep_days: "7" }
    const { text } = await browser.post("/sign-up", wrong, language)
    expect(text).toContain("Etwas stimmt nicht")
    expect(text).toContain('<a href="#password">Passwort muss mindestens 10 Zeichen haben</a>')
    expect(text).toContain(
      '<a href="#email">E-Mail-Adresse: Geben Sie eine Adresse ein, zum Beispiel name@beispiel.de</a>'
    )
    expect(text).toContain("Meinen Standortverlauf behalten: wählen Sie eine der vier Möglichkeiten")
    const refused = await browser.post("/sign-in", { form_token: token, email: "a@b.example", password: "x" }, language)
    expect(refused.text).toContain("E-Mail-Adresse oder Passwort ist falsch.")
    const stale = await browser.post("/sign-in", { form_token: "x" }, language)
    expect(stale.text).toContain("<h1>Dieses Formular ist abgelaufen</h1>")
  })

  it("scripts get their texts from the page", async () => {
    expect(scriptTexts((await ask("/sign-in/passkey", "de")).text)).toEqual(textsIn("de").factors.script)
    expect(scriptTexts((await ask("/sign-in/passkey", "en")).text)).toEqual(textsIn("en").factors.script)
    const places = await (await german()).browser.get("/portal/places")
    expect(scriptTexts(places.text)).toEqual(textsIn("de").map.script)
  })
})

describe("the texts of these rooms [languages-1]", () => {
  const PAGES = join(import.meta.dirname, "../../src/pages")
  const sources = readdirSync(PAGES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))
  const read = (path: string) => readFileSync(join(PAGES, path), "utf8")

  it("every refusal that a page makes itself has a text in each language", () => {
    const made = sources.flatMap((path) => {
      const text = read(path)
      const refusals = [...text.matchAll(/Errors\.(?:forbidden|invalidRequest|conflict)\("([^"]+)"\)/g)]
      const unknown = [
        ...text.matchAll(/\bparam\("\w+", [\w.]+, "([^"]+)"\)/g),
        ...text.matchAll(/Errors\.notFound\("([^"]+)"\)/g)
      ]
      return [...refusals.map((match) => match[1]), ...unknown.map((match) => `No such ${match[1]}`)]
    })
    const known = new Set<unknown>(Object.values(textsIn("en").frame.messages))
    expect(made.length).toBeGreaterThan(20)
    expect(made.filter((message) => !known.has(message))).toEqual([])
  })

  it("stand in the language files, and none on a page", () => {
    const own = sources.filter((path) => !path.includes("/") || /^(?:kit|address|factors)\/\w+\.ts$/.test(path))
    const left = own.flatMap((path) => {
      const text = read(path).replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*/g, "")
      return [
        ...text.matchAll(/<(?:a|p|h\d|li|td|th|button|summary|span|strong)\b[^<>$]*>\s*([A-Za-z][^<>$`]*)</g),
        ...text.matchAll(
          /\b(?:label|hint|title|text|button|message|refused|aria-label)(?:: |=)"([A-Z][^"]*|\w+ [^"]*)"/g
        )
      ].map((match) => `${path}: ${match[1]}`)
    })
    expect(left.filter((one) => !/: (?:Place Access|openapi\.json)$/.test(one))).toEqual([])
  })

  it("are German in German: what is the same in both languages is a word of both", () => {
    const same = (en: unknown, de: unknown): ReadonlyArray<string> => {
      if (typeof en === "string") return en === de ? [en] : []
      if (typeof en !== "object" || en === null) return []
      return Object.entries(en).flatMap(([name, value]) => same(value, (de as Record<string, unknown>)[name]))
    }
    const { factors, frame, map, signIn } = textsIn("en")
    const other = textsIn("de")
    expect([
      ...same(frame, other.frame),
      ...same(map, other.map),
      ...same(factors, other.factors),
      ...same(signIn, other.signIn)
    ]).toEqual(["Admin", "Name", "Radius", "Restaurant", "Passkeys", "Name", "Code", "Name"])
  })
})
