import { listConnections } from "@place-access/domain/connection"
import { listPlaces } from "@place-access/domain/places"
import { archivePurpose, listPurposes } from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, consentAction, signedIn } from "../support/browsing.js"
import { addPlaces } from "../support/places.js"
import { hidden } from "../support/visitor.js"
import { startWorld, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const LATEST = "location.latest.read"
const VISITS = "location.visits.read"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/**
 * The page on which a person changes a connection of 90 days, `afterDays` days after the consent. Exact location ends 7
 * days after the consent, at `end`. When the app asks for nothing more (`more`), the page is that of a renewal.
 */
const changePage = async (afterDays: number, days = { standardDays: "90", sensitiveDays: "7" }, more = [VISITS]) => {
  const person = await world.person()
  const { app } = await world.app(person)
  await world.run(Fixtures.purpose(app.id, "find_coffee"))
  await world.connect(person, app, { scopes: [CURRENT, LATEST], ...days })
  const end = new Date(world.clock.now() + 7 * Timestamp.DAY).toISOString()
  // The person visits a page after at most 11 days, because a session that nobody uses ends after 14 days.
  world.clock.advance(Math.min(afterDays, 11) * Timestamp.DAY)
  await person.get("/")
  world.clock.advance(Math.max(afterDays - 11, 0) * Timestamp.DAY)
  const path = authorizePath(app, { scope: [CURRENT, LATEST, ...more].join(" ") })
  return { text: (await person.get(path)).text, end }
}

/** The badge beside the checkbox of a scope. */
const badgeOf = (text: string, scope: string): string | undefined =>
  new RegExp(`id="scope-${scope}"[^]*?<span class="badge[^"]*">([^<]*)<`).exec(text)?.[1]

describe("the page of a change says when exact location ends at present [consent-4]", () => {
  it("while the app has it", async () => {
    const { end, text } = await changePage(1)
    expect(text).toMatch(new RegExp(`At present exact location ends: <time datetime="${end}"`))
    expect([CURRENT, LATEST, VISITS].map((scope) => badgeOf(text, scope))).toEqual(["As now", "As now", "New"])
  })

  it("in the grace period: since when the app has not had it", async () => {
    const { end, text } = await changePage(8)
    expect(text).toMatch(new RegExp(`Exact location ended: <time datetime="${end}"`))
    expect([CURRENT, LATEST, VISITS].map((scope) => badgeOf(text, scope))).toEqual(["As now", "Ended", "New"])
  })

  it("not after the grace period: the scope is new then", async () => {
    const { text } = await changePage(22)
    expect(text).not.toMatch(/exact location end(s|ed): /i)
    expect([CURRENT, LATEST, VISITS].map((scope) => badgeOf(text, scope))).toEqual(["As now", "New", "New"])
  })
})

describe("when the connection ends before exact location, its end is named [consent-4, tiers-2]", () => {
  const days = { standardDays: "7", sensitiveDays: "30" }

  it("on the page of a change", async () => {
    const { end, text } = await changePage(1, days)
    expect(text).toContain(`At present exact location ends: <time datetime="${end}"`)
  })

  it("on the page of a renewal, also beside each choice that is later: a renewal does not move it [consent-3]", async () => {
    const { end, text } = await changePage(1, days, [])
    expect(text).toContain(`The app has your exact location until <time datetime="${end}"`)
    const chosen = (length: number) =>
      new RegExp(`id="sensitive_days-${length}-end"[^]*?<time datetime="([^"]*)"`).exec(text)?.[1]
    expect([chosen(7), chosen(30), chosen(90)]).toEqual([end, end, end])
    expect(chosen(1)).toBe(new Date(Date.parse(end) - 5 * Timestamp.DAY).toISOString())
  })
})

describe("a purpose that is archived after an app has asked for a renewal [consent-3]", () => {
  const EXACT = [LATEST, "location.history.read"] as const

  /** The renewal page of an app that has the two sensitive scopes of `EXACT`, each by its own purpose. */
  const renewal = async (archived: ReadonlyArray<string>) => {
    const person = await world.person()
    const { app } = await world.app(person)
    for (const scope of EXACT) {
      const terms = { description: "Finds coffee near you", scopes: [scope], expectedDailyVolume: 10 }
      await world.run(Fixtures.purpose(app.id, keyOf(scope), { terms }))
    }
    await world.connect(person, app, { scopes: [CURRENT, ...EXACT] })
    const browser = await signedIn(world, person.account.email)
    const path = consentAction((await browser.get(authorizePath(app, { scope: [CURRENT, ...EXACT].join(" ") }))).text)
    for (const purpose of await world.run(listPurposes(person.account, app.id))) {
      if (archived.includes(purpose.key)) await world.run(archivePurpose(person.account, app.id, purpose.id))
    }
    const held = async () => (await world.run(listConnections(person.account.id)))[0]?.heldScopes
    return { browser, path, page: await browser.get(path), held }
  }
  const keyOf = (scope: string): string => scope.replaceAll(".", "_")

  it("its scope is not renewed, the others are, and the page says so", async () => {
    const { browser, held, page, path } = await renewal([keyOf(EXACT[1])])
    expect(page.text).toContain("may no longer use this for any purpose, so you cannot renew it:")
    const answer = await browser.post(path, { ...hidden(page, path), decision: "allow", sensitive_days: "30" })
    expect(answer.status).toBe(303)
    expect(await held()).toEqual([CURRENT, EXACT[0]])
  })

  it("without any purpose left, the page offers no renewal", async () => {
    const { held, page } = await renewal(EXACT.map(keyOf))
    expect(page.text).not.toContain('value="allow"')
    expect(page.text).toContain('value="stop"')
    expect(await held()).toEqual([CURRENT, ...EXACT])
  })

  it("with its purposes, the form names no scope", async () => {
    const { page } = await renewal([])
    expect(page.text).toContain('value="allow"')
    expect(page.text).not.toContain('name="scope"')
  })
})

it("a place that is added while another tab approves is stored, and the page says that something has changed [consent-11]", async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  await world.run(Fixtures.purpose(app.id, "find_coffee"))
  const browser = await signedIn(world, person.account.email)
  const page = await browser.get(authorizePath(app, { scope: `${CURRENT} ${LATEST}` }))
  await world.connect(person, app, { scopes: [CURRENT, LATEST] })
  const home = { kind: "home", label: "Home", lat: "52.37", lon: "4.89", radius_m: "150" }
  const path = consentAction(page.text)
  const answer = await browser.post(path, { ...hidden(page, path), decision: "add_place", scope: CURRENT, ...home })
  expect(answer.text).toContain('value="renew_sensitive"')
  expect(answer.text).toContain("Something has changed since you opened this page.")
  const places = await world.run(listPlaces(person.account.id))
  expect(places.map(({ label }) => label)).toEqual(["Home"])
})

it("at the limit of places, a sentence stands in place of the form of a new place [limits-9, consent-11]", async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const browser = await signedIn(world, person.account.email)
  await addPlaces(world, person, 1, 99)
  const path = authorizePath(app, { scope: CURRENT })
  expect((await browser.get(path)).text).toContain('value="add_place"')
  await addPlaces(world, person, 100, 100)
  const full = (await browser.get(path)).text
  expect(full).not.toContain('value="add_place"')
  expect(full).toContain("You can have 100 places. Archive one to add another.")
})

it("a state of bytes that are not UTF-8 is refused before the person decides, because it would come back changed [consent-1, O3]", async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  const path = authorizePath(app, { state: "STATE" })
  const answers = await Promise.all(
    ["%FF%FEabcdef", "%C3%A9abcdefg"].map((state) => person.get(path.replace("STATE", state)))
  )
  expect(answers.map(({ status }) => status)).toEqual([400, 200])
})
