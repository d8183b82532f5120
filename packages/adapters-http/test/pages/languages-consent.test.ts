import { chooseLanguage } from "@place-access/domain/accounts"
import type { App } from "@place-access/domain/apps"
import { createPlace, Place } from "@place-access/domain/places"
import { Language, Timestamp } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { quarantineWords } from "../../src/devices/QuarantineWords.js"
import { textsIn } from "../../src/languages/index.js"
import { authorizePath } from "../support/browsing.js"
import { phone } from "../support/phone.js"
import { type Person, startWorld, type World } from "../support/World.js"
import type { Answer } from "../support/wire.js"

const GERMAN = { headers: { "accept-language": "de-AT,en;q=0.5" } }
const CURRENT = "location.place.current"
const LATEST = "location.latest.read"

let world: World
let person: Person
let app: App.App

beforeAll(async () => {
  world = await startWorld()
  person = await world.person()
  ;({ app } = await world.app(person))
  await world.run(Fixtures.purpose(app.id, "find_coffee"))
  await world.run(
    createPlace(person.account.id, {
      label: Place.Label.make("Café <Mitte>"),
      kind: "restaurant",
      circle: { lat: 52.52, lon: 13.405, radiusM: 150 }
    })
  )
})
afterAll(() => world.close())

const german = (path: string): Promise<Answer> => person.get(path, GERMAN)

const heading = ({ text }: Answer): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? ""

const unescaped = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

/** The texts that a page passes to its script. */
const scriptTexts = ({ text }: Answer, script: string): unknown =>
  JSON.parse(unescaped(new RegExp(`/assets/${script}\\.[^>]*data-texts="([^"]*)"`).exec(text)?.[1] ?? "null"))

/** The page that asks for a consent, in German. */
const consentPage = async (more: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const query = new URLSearchParams({
    client_id: app.id,
    redirect_uri: app.redirectUris[0] ?? "",
    scope: `${CURRENT} ${LATEST}`,
    code_challenge: createHash("sha256").update("v".repeat(43)).digest("base64url"),
    code_challenge_method: "S256",
    state: "a-state-of-the-app",
    ...more
  })
  return german(`/authorize?${query.toString()}`)
}

describe("a browser that asks for German gets German [languages-1]", () => {
  it.each([
    ["/portal/devices", "Geräte"],
    ["/portal/devices/share", "Von diesem Browser aus teilen"],
    ["/portal/timeline", "Mein Verlauf"]
  ])("%s", async (path, title) => {
    const page = await german(path)
    expect([page.status, heading(page)]).toEqual([200, title])
    expect(page.text).toContain('<html lang="de">')
    expect((await person.get(path)).text).toContain('<html lang="en">')
  })

  it("the consent page, with what the domain says, and names as people wrote them", async () => {
    const page = await consentPage()
    expect([page.status, heading(page)]).toEqual([200, `${app.name} verbinden?`])
    for (const text of [
      "Sehen, an welchem Ihrer freigegebenen Orte Sie gerade sind",
      "Auch frühere Besuche freigeben: Café &lt;Mitte&gt;",
      "Noch kein Handy hat Ihren Standort gesendet.",
      "30 Tage"
    ]) {
      expect(page.text).toContain(text)
    }
    expect(scriptTexts(page, "consent")).toEqual(textsIn("de").consent.script)
  })

  it("a broken link of an app; what its developer reads stays English", async () => {
    const page = await consentPage({ client_id: "app_nobody" })
    expect([page.status, heading(page)]).toEqual([400, "Dieser Link funktioniert nicht"])
    expect(page.text).toMatch(/<p lang="en">[^<]+client_id/)
  })

  it("a refusal is in the language of the account, whatever the browser's", async () => {
    const own = await world.person()
    await world.run(chooseLanguage(own.account.id, "de"))
    const revoked = await world.app(await world.person(), { revokedAt: Timestamp.make(world.clock.now()) })
    const { app: others } = await world.app(person)
    for (const [path, status] of [
      [authorizePath(revoked.app), 400],
      [authorizePath(others), 403],
      [authorizePath(app, { client_id: "app_nobody" }), 400],
      ["/authorize/csr_none", 404]
    ] as const) {
      const page = await own.get(path, { headers: { "accept-language": "en" } })
      expect([path, page.status, page.text.includes('<html lang="de">')]).toEqual([path, status, true])
    }
  })

  it("the deletion of a day says how many locations go, and which visits [retention-choice-4]", async () => {
    await (await phone(world, person)).at({ lat: 52.5, lon: 13.4 }, [3_600_000])
    const day = new Date(world.clock.now()).toISOString().slice(0, 10)
    const page = await german(`/portal/timeline/erase?day=${day}&from=00:00&until=24:00`)
    expect(heading(page)).toBe("Diesen Teil Ihres Standortverlaufs löschen?")
    expect(page.text).toContain("<li>Endgültig gelöscht wird 1 Standort aus dieser Zeit. ")
    expect(page.text).toContain("Ein Besuch, der in dieser Zeit begann, wird gelöscht.")
    expect(page.text).not.toContain("0 Besuche")
    const mistaken = await german(`/portal/timeline/erase?day=${day}&from=soon&until=24:00`)
    expect(mistaken.text).toContain('<a href="#from">Von muss ein Zeitpunkt sein</a>')
  })

  it("the set-up of a phone, step by step; the API says the steps in English [languages-4]", async () => {
    const token = /name="form_token" value="([^"]+)"/.exec((await german("/portal/devices")).text)?.[1] ?? ""
    const body = new URLSearchParams({ form_token: token, name: "Mein Handy", format: "json" })
    const page = await person.send("POST", "/portal/devices", undefined, { body, ...GERMAN })
    expect(heading(page)).toBe("Mein Handy einrichten")
    expect(page.text).toContain("Senden Sie Standorte als JSON mit POST an http")
    expect(page.text).toContain('data-copy="Adresse"')
    expect(scriptTexts(page, "device")).toEqual(textsIn("de").setUp.copyScript)
    const added = await person.send("POST", "/v1/user/devices", { name: "Mine", format: "json" }, GERMAN)
    expect(added.json).toMatchObject({ setup: { settings: [{ name: "Address" }, { name: "Token" }] } })
    expect(JSON.stringify(added.json)).toContain("Send locations as JSON")
  })

  it("the page that shares the position, and its manifest [languages-4]", async () => {
    const page = await german("/portal/devices/share")
    expect(scriptTexts(page, "share")).toEqual(textsIn("de").setUp.share.script)
    const [, address = ""] = /<link rel="manifest" href="([^"]+)"/.exec(page.text) ?? []
    expect((await world.call(unescaped(address))).json).toMatchObject({
      lang: "de",
      name: "Place Access: von diesem Browser aus teilen"
    })
    expect((await world.call("/portal/devices/share.webmanifest?language=xx")).json).toMatchObject({ lang: "en" })
  })

  it("the history of a connection, and its receipt [connection-7, languages-4]", async () => {
    await world.connect(person, app, { scopes: [CURRENT] })
    const { connections } = (await person.get("/v1/user/connections")).json as {
      readonly connections: ReadonlyArray<{ readonly id: string }>
    }
    const page = await german(`/portal/connections/${connections[0]?.id}/history`)
    expect(heading(page)).toBe("Was Sie vereinbart haben, und wann")
    const [, address = ""] = /href="([^"]+\/history\/[^"]+)"/.exec(page.text) ?? []
    const { text } = await german(address)
    for (const line of [
      "BELEG",
      `App: ${app.name}`,
      "Was: Verbunden",
      "Wie es dazu kam: die App hat gefragt, und Sie haben es erlaubt",
      "  - Sehen, an welchem Ihrer freigegebenen Orte Sie gerade sind",
      "Der genaue Standort endet: nicht freigegeben"
    ]) {
      expect(text.split("\n")).toContain(line)
    }
    expect(text).toMatch(/^Wann: 1\. März 2026 um 12:00 UTC \(2026-03-01T12:00:00/m)
    expect((await person.get(address)).text).toMatch(/^RECEIPT\n[^]*^When: 1 March 2026 at 12:00 UTC \(/m)
  })
})

describe("texts that a script or a program reads", () => {
  const slots = (text: string): ReadonlyArray<string> => [...text.matchAll(/\{\w+\}/g)].map(([slot]) => slot).toSorted()
  const scripts = (language: Language.Language): ReadonlyArray<Readonly<Record<string, string>>> => {
    const { consent, setUp } = textsIn(language)
    return [consent.script, setUp.copyScript, setUp.share.script]
  }

  it("have the same slots in every language: the script fills them in by name", () => {
    const english = scripts("en").map((all) => Object.entries(all).map(([name, text]) => [name, slots(text)]))
    expect(english.flat().flatMap(([, found]) => found)).toContain("{count}")
    for (const language of Language.all) {
      expect(scripts(language).map((all) => Object.entries(all).map(([name, text]) => [name, slots(text)]))).toEqual(
        english
      )
    }
  })

  it("the copy button's accessible name begins with what is seen (WCAG 2.5.3)", () => {
    for (const language of Language.all) {
      const { byHand, byHandNamed, copied, copiedNamed, copy, copyNamed } = textsIn(language).setUp.copyScript
      for (const [seen, named] of [
        [copy, copyNamed],
        [copied, copiedNamed],
        [byHand, byHandNamed]
      ] as const) {
        expect(named.startsWith(seen)).toBe(true)
      }
    }
  })

  it("the API explains in English what it put aside", () => {
    expect(quarantineWords.future.explanation).toContain("automatically")
    expect(quarantineWords).toEqual(textsIn("en").devices.quarantine)
  })
})
