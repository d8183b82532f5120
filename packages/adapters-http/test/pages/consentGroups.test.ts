import { listConnections } from "@place-access/domain/connection"
import { createPlace, Place } from "@place-access/domain/places"
import { Fixtures } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, consentAction, signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const LATEST = "location.latest.read"
const LOOKUP = "location.place.lookup"
const ZONE = "location.zone.verify"
const ZONE_RULES = "location.rules.zone"

const GERMAN = { headers: { "accept-language": "de" } }

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** A person with a place, who owns an app that may ask for every scope. */
const owner = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  await world.run(Fixtures.purpose(app.id, "find_coffee"))
  const home = { label: Place.Label.make("Home"), kind: "home", circle: { lat: 1, lon: 1, radiusM: 150 } } as const
  return { app, person, place: await world.run(createPlace(person.account.id, home)) }
}

const plain = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()

/** For each fieldset with checkboxes of scopes: its legend, the text after the legend, and its scopes. */
const groups = (text: string, name: "scope" | "scopes") =>
  [...text.matchAll(/<fieldset[^>]*>\s*<legend[^>]*>([^<]*)<\/legend>([^]*?)<\/fieldset>/g)].flatMap(
    ([, legend = "", rest = ""]) => {
      const scopes = [...rest.matchAll(new RegExp(`name="${name}"\\s+value="([^"]*)"`, "g"))].map(([, one]) => one)
      return scopes.length === 0 ? [] : [{ legend, hint: plain(rest.split('class="choices"')[0] ?? ""), scopes }]
    }
  )

const AREAS = {
  legend: "About areas that the app chooses",
  hint: expect.stringContaining(
    "The app picks these areas itself. They can lie anywhere, also around places that you do not tick."
  ) as string,
  scopes: [ZONE_RULES, ZONE]
}

describe("permissions about areas that the app chooses are a group of their own [consent-14]", () => {
  it("on the consent page", async () => {
    const { app, person } = await owner()
    const path = authorizePath(app, { scope: [CURRENT, ZONE_RULES, ZONE, LATEST].join(" ") })
    const { text } = await person.get(path)
    expect(groups(text, "scope")).toEqual([
      { legend: "About the places you share", hint: expect.any(String) as string, scopes: [CURRENT] },
      AREAS,
      { legend: "Your exact location", hint: expect.any(String) as string, scopes: [LATEST] }
    ])
    const german = plain((await person.get(path, GERMAN)).text)
    expect(german).toContain("Über Bereiche, die die App wählt")
    expect(german).toContain(
      "Diese Bereiche legt die App selbst fest. Sie können überall liegen, auch um Orte, die Sie nicht ankreuzen."
    )
  })

  it("on the connection's page; the list of apps says that the app can ask about such areas", async () => {
    const { app, person, place } = await owner()
    await world.connect(person, app, { scopes: [ZONE_RULES, ZONE] })
    const [connection] = await world.run(listConnections(person.account.id))
    const page = `/portal/connections/${connection?.id ?? ""}`
    expect(groups((await person.get(page)).text, "scopes")).toEqual([AREAS])
    for (const one of [page, "/portal/connections"]) {
      expect(plain((await person.get(one)).text)).toContain("Can ask about Areas that it chooses")
      expect(plain((await person.get(one, GERMAN)).text)).toContain("Darf fragen nach Bereichen, die sie wählt")
    }
    await world.connect(person, app, { scopes: [CURRENT, ZONE], places: [place.id] })
    expect(plain((await person.get(page)).text)).toContain("Can ask about Home, areas that it chooses")
  })

  it("in the preview for reviewers", async () => {
    const reviewer = await world.person({ roles: ["reviewer"] })
    const { app } = await owner()
    const { text } = await reviewer.get(`/review/apps/${app.id}/consent?version=proposed`)
    // No purpose of the app is approved, so the preview of the consent page shows no permission for exact location.
    expect(groups(text, "scope").map(({ legend }) => legend)).toEqual(["About the places you share", AREAS.legend])
  })
})

describe("the hint at the places [consent-14]", () => {
  it.each([
    [[CURRENT], "The app learns nothing about the places that you do not tick."],
    [[CURRENT, ZONE], "The app does not get the names of places that you do not tick."],
    [[CURRENT, LATEST], "The app does not get the names of places that you do not tick."]
  ])("for %j", async (scopes, hint) => {
    const { app, person } = await owner()
    const { text } = await person.get(authorizePath(app, { scope: scopes.join(" ") }))
    const hints = /<h2 id="where">[^]*?<p class="hint">([^<]*)</.exec(text)?.[1]
    expect(hints).toBe(hint)
  })
})

describe("an app that may look up the place at a moment [consent-14, answers-4]", () => {
  const EN =
    "For any moment in the past, the app can ask which ticked place you were at, even if you do not share past visits."
  const DE =
    "Für jeden Zeitpunkt in der Vergangenheit kann die App fragen, an welchem angekreuzten Ort Sie waren, auch wenn Sie frühere Besuche nicht freigeben."

  it("can do so without past visits: the consent page and the connection's page say this, for no other app", async () => {
    const { app, person } = await owner()
    const pages = async (scope: string) => {
      await world.connect(person, app, { scopes: [scope] })
      const connections = await world.run(listConnections(person.account.id))
      const id = connections.find(({ live }) => live)?.id ?? ""
      // A request for exactly the scopes that the app has, all of them standard, is a change.
      return [authorizePath(app, { scope }), `/portal/connections/${id}`]
    }
    for (const path of await pages(LOOKUP)) {
      expect(plain((await person.get(path)).text)).toContain(EN)
      expect(plain((await person.get(path, GERMAN)).text)).toContain(DE)
    }
    for (const path of await pages(CURRENT)) expect(plain((await person.get(path)).text)).not.toContain(EN)
  })
})

describe("a request without permissions that use places asks for no places [consent-14]", () => {
  it.each([[[LATEST]], [[ZONE]], [[ZONE, LATEST]]])("%j", async (scopes) => {
    const { app, person } = await owner()
    const { text } = await person.get(authorizePath(app, { scope: scopes.join(" ") }))
    expect(text).not.toContain("Which places it can ask about")
    expect(text).not.toMatch(/name="(place|earlier|label)"/)
    // The page still has the script that keeps the buttons in sight, and the browser runs this script.
    const nonce = /<script nonce="([^"]*)"[^>]*\/assets\/consent\./.exec(text)?.[1]
    expect(nonce).toBeDefined()
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get(authorizePath(app, { scope: scopes.join(" ") }))
    const answer = await browser.submit(page, consentAction(page.text), { decision: "allow", scope: scopes })
    expect(new URL(answer.headers.get("location") ?? "").searchParams.has("code")).toBe(true)
    const [connection] = await world.run(listConnections(person.account.id))
    expect([connection?.heldScopes, connection?.places]).toEqual([scopes, []])
  })

  it("such a change keeps the shared places, and its page lists them [consent-14, §3.1-change]", async () => {
    const { app, person, place } = await owner()
    await world.connect(person, app, { scopes: [CURRENT], places: [place.id] })
    const [before] = await world.run(listConnections(person.account.id))
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get(authorizePath(app, { scope: ZONE }))
    expect(page.text).not.toContain("Which places it can ask about")
    expect(plain(page.text)).toContain("What stays as it is Not asked Places Home")
    const german = plain((await browser.get(authorizePath(app, { scope: ZONE }), GERMAN.headers)).text)
    expect(german).toContain("Was so bleibt, wie es ist Keine Frage Orte Home")
    const action = consentAction(page.text)
    const review = await person.get(`/v1/user/consent-requests/${action.slice("/authorize/".length)}`)
    expect(review.json).toMatchObject({ mode: "change", asks_places: false })
    await browser.submit(page, action, { decision: "allow", scope: [ZONE] })
    const [connection] = await world.run(listConnections(person.account.id))
    expect(connection?.heldScopes).toEqual([ZONE])
    expect([connection?.places, connection?.placesVersion]).toEqual([before?.places, before?.placesVersion])
    expect(before?.places).toHaveLength(1)
  })
})
