import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CURRENT, connected } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const plain = (text: string) => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")

/** A person whose only place is shared with an app. `page(path, language)` returns the visible text of a page. */
const sharing = async () => {
  const { connect, connection, person, placeId } = await connected(world)
  await connect([CURRENT])
  const { id } = await connection()
  const page = async (path: string, language = "en", headers: Readonly<Record<string, string>> = {}) =>
    plain((await person.get(path, { headers: { "accept-language": language, ...headers } })).text)
  return {
    person,
    page,
    path: `/portal/connections/${id}`,
    archive: () => person.send("DELETE", `/v1/user/places/${placeId}`)
  }
}

describe("an archived place that was shared [M1, places-3]", () => {
  it("before it is archived, the page says what apps can still see afterwards", async () => {
    const { page } = await sharing()
    expect(await page("/portal/places")).toContain(
      "Apps can no longer ask whether you are there, and their rules on the place end permanently. Apps with which the place is shared can still see your past visits there, as far as you allowed it, until you disconnect them."
    )
    expect(await page("/portal/places", "de")).toContain(
      "Apps können dann nicht mehr fragen, ob Sie dort sind, und ihre Regeln für den Ort enden dauerhaft. Apps, für die er freigegeben ist, können frühere Besuche dort weiterhin sehen, soweit Sie es erlaubt haben, bis Sie diese Apps trennen."
    )
  })

  it("the notice after it says the same", async () => {
    const { archive, page, person } = await sharing()
    await archive()
    const headers = { cookie: `${person.cookie}; notice=place-archived` }
    const english = await page("/portal/places?done=place-archived", "en", headers)
    expect(english).toContain("Apps with which it is shared can still see your past visits there")
    expect(english).not.toContain("no longer see it")
    const german = await page("/portal/places?done=place-archived", "de", headers)
    expect(german).toContain("Apps, für die er freigegeben ist, können frühere Besuche dort weiterhin sehen")
    expect(german).not.toContain("sehen ihn nicht mehr")
  })

  it("the connection's page and the list of apps mark it", async () => {
    const { archive, page, path, person } = await sharing()
    expect(await page(path)).toMatch(/Can ask about Home [^(]/)
    await archive()
    for (const one of [path, "/portal/connections"]) {
      expect(await page(one)).toContain("Can ask about Home (archived, past visits only)")
      expect(await page(one, "de")).toContain("Darf fragen nach Home (archiviert, nur frühere Besuche)")
    }
    await person.send("DELETE", `/v1/user${path.replace("/portal", "")}`)
    expect(await page(path)).toContain("Could ask about Home (archived, past visits only)")
  })

  it("a person whose places are all archived does not read that there are none", async () => {
    const { archive, page, path } = await sharing()
    await archive()
    expect(await page(path)).toContain("All your places are archived. Create a new one to share it.")
    expect(await page(path, "de")).toContain(
      "Alle Ihre Orte sind archiviert. Legen Sie einen neuen an , um ihn freizugeben."
    )
    expect(await page("/portal/places")).toContain("All your places are archived. Create a new one below.")
    expect(await page("/portal/places", "de")).toContain(
      "Alle Ihre Orte sind archiviert. Legen Sie unten einen neuen an."
    )
    expect(await page("/portal/places")).not.toContain("You have no places yet")
  })
})
