import { textsIn } from "@place-access/adapters-http/languages/index"
import { Disclosure } from "@place-access/domain/answers"
import { Scope } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call } from "../support/wire.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const ask = async (language: "de" | "en") => {
  const answer = await call(`${world.url}/`, { headers: { accept: "text/html", "accept-language": language } })
  return answer.text.replaceAll(/\s+/g, " ")
}

describe("the front page for strangers [wire-6]", () => {
  it("has an example of a consent page, with the words of the real page and nothing that can be sent", async () => {
    const page = await ask("en")
    const words = textsIn("en").consent
    expect(page).toContain(words.headings.connect(textsIn("en").signIn.home.example.app))
    for (const text of [Scope.describe["location.rules.place"], words.scopes.heading, words.places.heading]) {
      expect(page).toContain(text)
    }
    const main = page.split("<main")[1] ?? ""
    const example = /<figure[^]*<\/figure>/.exec(main)?.[0] ?? ""
    expect(example).toMatch(/<fieldset [^>]*disabled>/)
    expect(main).not.toContain("<form")
    const controls = [...main.matchAll(/<(?:input|button)\b/g)].length
    expect([...example.matchAll(/<(?:input|button)\b/g)].length).toBe(controls)
    expect(controls).toBeGreaterThan(5)
  })

  it("has an example of an access log: an arrival, a refusal and a pause, by the clock and without a zone", async () => {
    const page = await ask("en")
    const table = /<table[^]*<\/table>/.exec(page)?.[0] ?? ""
    expect(table).toContain("Arrived at Home")
    expect(table).toContain(Disclosure.PAUSED)
    expect(table).toContain("you have not allowed this")
    expect([...table.matchAll(/<time [^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([
      "21:05:00",
      "17:42:00",
      "08:15:00"
    ])
  })

  it("names the example's app and places in the reader's language", async () => {
    const page = await ask("de")
    expect(page).toContain("Verandalicht verbinden?")
    expect(page).toContain("Angekommen: Zuhause")
    expect(page).not.toMatch(/Porch light|Arrived at/)
  })
})
