import { chooseLanguage } from "@place-access/domain/accounts"
import { Fixtures } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { bearer, PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
let person: Person
let connection: string
beforeAll(async () => {
  world = await startWorld()
  person = await world.person()
  await person.send("POST", "/v1/user/places", { label: "Zoo", kind: "gym", lat: 52.5, lon: 13.4, radius_m: 150 })
  const { app } = await world.app(person)
  await world.run(Fixtures.purpose(app.id, "find_coffee"))
  const { accessToken } = await world.connect(person, app, { scopes: ["location.latest.read"] })
  await world.call("/v1/me", bearer(accessToken))
  await world.call("/v1/locations/latest", bearer(accessToken))
  const listed = (await person.get("/v1/user/connections")).json as { connections: [{ id: string }] }
  connection = `/portal/connections/${listed.connections[0].id}`
})
afterAll(() => world.close())

const inGerman = async (path: string): Promise<string> => {
  const { text } = await person.get(path, { headers: { "accept-language": "de" } })
  return text.replace(/\s+/g, " ")
}

describe("pages of the portal in German [languages-1]", () => {
  it.each([
    ["/portal/access-log", "Zugriffsprotokoll"],
    ["/portal/connections", "Verbundene Apps"],
    ["/portal/places", "Orte"],
    ["/portal/settings", "Einstellungen"],
    ["/portal/settings/name", "Ihr Name"],
    ["/portal/settings/language", "Ihre Sprache"],
    ["/portal/settings/time-zone", "Ihre Zeitzone"],
    ["/portal/settings/notices", "Welche E-Mails Sie bekommen"],
    ["/portal/settings/password", "Passwort ändern"],
    ["/portal/settings/sessions", "Wo Sie angemeldet sind"],
    ["/portal/settings/export", "Ihre Daten mitnehmen"],
    ["/portal/settings/delete-account", "Konto löschen"],
    ["/portal/imports", "Importe"],
    ["/portal/imports/new", "Datei importieren"],
    ["/account-deleted", "Ihr Konto ist gelöscht"]
  ])("%s has the heading %s", async (path, heading) => {
    const page = await inGerman(path)
    expect(page).toContain('<html lang="de">')
    expect(page).toContain(`<h1>${heading}</h1>`)
  })

  it("a refusal whose message in the API has a value: a method, a size, a content type", async () => {
    const request = (method: string, headers: Record<string, string>, body?: string) =>
      person.get("/portal/places", {
        method,
        headers: { accept: "text/html", "accept-language": "de", ...headers },
        ...(body === undefined ? {} : { body })
      })
    const form = { "content-type": "application/x-www-form-urlencoded" }
    const pages = [
      await request("PUT", {}),
      await request("POST", form, `label=${"x".repeat(1_100_000)}`),
      await request("POST", { "content-type": "text/csv" }, "label")
    ]
    expect(pages.map(({ status }) => status)).toEqual([405, 413, 415])
    for (const { text } of pages) {
      expect(text).toContain('<html lang="de">')
      expect(text).not.toMatch(/This route|The body/)
    }
  })

  it("a connection and a place: their headings, and kinds of places", async () => {
    expect(await inGerman(connection)).toContain("Wie oft die App gefragt hat")
    expect(await inGerman("/portal/places")).toContain("Fitnessstudio")
  })

  it("the access log: what the app did and why it learned nothing, on the page and in the file", async () => {
    const page = await inGerman("/portal/access-log")
    expect(page).toContain("Hat nachgesehen, was Sie der App erlaubt haben")
    expect(page).toContain(">Abgelehnt</span>")
    expect(page).toContain("sie hat keinen Zweck genannt, den sie verwenden darf")
    const file = await inGerman("/portal/access-log.csv")
    expect(file).toContain('"Was die App erfahren hat"')
    expect(file).toContain('"Hat nachgesehen, was Sie der App erlaubt haben"')
    expect(file).toContain('"Abgelehnt: sie hat keinen Zweck genannt, den sie verwenden darf"')
  })

  it("names of properties of the texts are no notices", async () => {
    const status = async (code: string) => {
      const headers = { cookie: `${person.cookie}; notice=${code}`, "accept-language": "de" }
      const { text } = await person.get(`/portal/places?done=${code}`, { headers })
      return /<div[^>]* role="status">(.*?)<\/div>/s.exec(text)
    }
    expect(await status("toString")).toBeNull()
    expect((await status("place-changed"))?.[1]).toContain("Der Ort ist geändert.")
    expect((await status("password-strong"))?.[1]).toMatch(/Ihr Passwort ist geändert\. Es ist stark/)
  })
})

describe("the word that deletes an account [languages-3]", () => {
  it("is of the reader's language; another word deletes nothing, and the page says which it must be", async () => {
    const own = await world.person()
    await world.run(chooseLanguage(own.account.id, "de"))
    const browser = await signedIn(world, own.account.email)
    const path = "/portal/settings/delete-account"
    const page = await browser.get(path)
    expect(page.text).toContain("Geben Sie <strong>löschen</strong> ein.")
    const refused = await browser.submit(page, path, { password: "", word: "weg" })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain("Passwort muss angegeben werden")
    expect(refused.text).toContain("Das Wort muss „löschen“ sein")
    const deleted = await browser.submit(page, path, { password: PASSWORD, word: " Löschen " })
    expect(deleted.headers.get("location")).toBe("/account-deleted")
  })
})
