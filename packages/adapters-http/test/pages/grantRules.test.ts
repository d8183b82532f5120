import { listConnections } from "@place-access/domain/connection"
import { createPlace, Place } from "@place-access/domain/places"
import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { north, phone } from "../support/phone.js"
import { jsonBody } from "../support/wire.js"
import { bearer, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const HOME = { lat: 52.37, lon: 4.89 }

/**
 * The text of the developer's page about a user's rules. The user has a rule of each type in `types`, all on one place.
 * The phone was away once, and then reported four times from the place.
 */
const rulesPage = async (types: ReadonlyArray<"enter" | "exit">) => {
  const person = await world.person()
  const { app } = await world.app(person)
  const circle = { ...HOME, radiusM: 150 }
  const home = await world.run(
    createPlace(person.account.id, { label: Place.Label.make("Home"), kind: "home", circle })
  )
  const { accessToken } = await world.connect(person, app, { scopes: ["location.rules.place"], places: [home.id] })
  for (const type of types) {
    const { headers, ...json } = jsonBody({ type, place_id: home.id })
    const init = { ...json, method: "POST", headers: { ...headers, ...bearer(accessToken).headers } }
    expect((await world.call("/v1/rules/place", init)).status).toBe(201)
  }
  const device = await phone(world, person)
  for (const metres of [1_000, 0, 0, 0, 0]) {
    world.clock.advance(Timestamp.MINUTE)
    await device.at(north(HOME, metres), [0])
  }
  const [connection] = await world.run(listConnections(person.account.id))
  const answer = await person.get(`/developer/apps/${app.id}/users/${connection?.id}/rules`)
  return answer.text.replaceAll(/\s+/g, " ")
}

const decisions = (page: string) =>
  [...page.matchAll(/data-label="Decision"> (.*?) <span/g)].map(([, text = ""]) => text.replaceAll(/<[^>]*>/g, ""))

describe("the developer's page of a connection's rules [rules-12]", () => {
  it("has one line for consecutive checks that changed nothing, with the first and the last time", async () => {
    const page = await rulesPage(["enter"])
    expect(decisions(page)).toEqual(["3 × no_change", "fired", "seeded"])
    expect(page).toMatch(/12:03:00 UTC<\/time> to<br \/><time [^>]*>2026-03-01 12:05:00 UTC/)
    expect(page).toContain("<details open>")
    expect(page).toContain("The rule and its last 5 checks")
  })

  it("folds each of several rules, and says its state and its newest check", async () => {
    const page = await rulesPage(["enter", "exit"])
    expect([...page.matchAll(/<details>/g)]).toHaveLength(2)
    expect(page).not.toContain("<details open>")
    expect([...page.matchAll(/Newest check: <time [^>]*>[^<]*<\/time>, <code>no_change<\/code>/g)]).toHaveLength(2)
    expect([...page.matchAll(/<span class="badge">Active<\/span>/g)]).toHaveLength(2)
  })
})
