import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Fields from "../../src/pages/kit/Fields.js"
import { textsIn } from "../../src/languages/index.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"
import { signedIn } from "../support/browsing.js"
import { visitor } from "../support/visitor.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const titleOf = (text: string): string | undefined => /<title>([^<]*)<\/title>/.exec(text)?.[1]

/** The sign-up page in the language `language`, after a form with a wrong address. */
const signUp = async (language: string) => {
  const browser = visitor(world.url)
  const page = await browser.get("/sign-up", { "accept-language": language })
  const token = /name="form_token"[^>]*value="([^"]*)"/.exec(page.text)?.[1] ?? ""
  const fields = { form_token: token, email: "nobody", password: PASSWORD, keep_days: "365" }
  return { page, rejected: await browser.post("/sign-up", fields, { "accept-language": language }) }
}

describe("a page that shows a rejected form again", () => {
  it.each([
    ["en", "Error: "],
    ["de", "Fehler: "]
  ])("in %s, says so in its title, and the list of problems gets the focus (WCAG G139)", async (language, prefix) => {
    const { page, rejected } = await signUp(language)
    expect(page.text).not.toContain("autofocus")
    expect(titleOf(rejected.text)).toBe(`${prefix}${titleOf(page.text) ?? ""}`)
    expect(rejected.text).toMatch(/<div class="problems" role="alert" tabindex="-1" autofocus>/)
  })

  it("a refused sign-in too, which has one sentence and no list", async () => {
    const browser = visitor(world.url)
    const page = await browser.get("/sign-in")
    const refused = await browser.submit(page, "/sign-in", { email: "a@b.example", password: "x" })
    expect([titleOf(refused.text)?.startsWith("Error: "), refused.text.includes("autofocus")]).toEqual([true, true])
  })

  it.each([
    ["en", "Email: Enter an address such as name@example.com"],
    ["de", "E-Mail-Adresse: Geben Sie eine Adresse ein, zum Beispiel name@beispiel.de"]
  ])("in %s, says what an address looks like", async (language, words) => {
    expect((await signUp(language)).rejected.text).toContain(`<a href="#email">${words}</a>`)
  })
})

describe("a new place without a centre has one problem, which leads to the map [consent-11]", () => {
  it.each([
    ["en", "Set the centre of the place: click the map, use where you are now, or enter it by hand"],
    [
      "de",
      "Legen Sie die Mitte des Ortes fest: Klicken Sie auf die Karte, verwenden Sie Ihren jetzigen Standort, oder geben Sie sie von Hand ein"
    ]
  ])("in %s", async (language, words) => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    await browser.submit(await browser.get("/portal/settings/language"), "/portal/settings/language", { language })
    const page = await browser.get("/portal/places")
    const add = async (lat: string, lon: string) => {
      const fields = { label: "Home", kind: "home", lat, lon, radius_m: "150" }
      const { status, text } = await browser.submit(page, "/portal/places", fields)
      const links = [...text.matchAll(/<li><a href="#(\w+)">([^<]*)</g)].map(([, field, said]) => [field, said])
      return { status, text, links }
    }
    const empty = await add("", " ")
    expect([empty.status, empty.links]).toEqual([400, [["centre", words]]])
    expect(empty.text).toMatch(new RegExp(`<p class="fault" id="centre-fault">\\s*${words}`))
    expect((await add("52.5", "")).links.map(([field]) => field)).toEqual(["lon"])
  })
})

it("in German, the end of a deletion before its beginning is said with the label of the field", () => {
  const shown = { values: () => "", problems: [{ field: "until", message: "must be later than from" }] }
  const labels = textsIn("de").timeline.erase.labels
  const text = Fields.problems(shown, labels).in({ language: "de", zone: null, now: Timestamp.make(0) })
  expect(text).toContain(`Bis muss nach „${labels.from}“ liegen`)
})
