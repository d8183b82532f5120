import { chooseLanguage } from "@place-access/domain/accounts"
import { RedirectUri } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { createPlace, listPlaces, Place } from "@place-access/domain/places"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { fitsLargeText, inspect, inspectClosely, withLargeText } from "../support/browser.js"
import { desk, type Desk } from "../support/desk.js"
import { phone } from "../support/phone.js"
import { PASSWORD, type Person } from "../support/World.js"

const CURRENT = "location.place.current"
const VISITS = "location.visits.read"
const LATEST = "location.latest.read"
const ZONE = "location.zone.verify"

const addPlaces = async ({ world }: Desk, person: Person, labels: ReadonlyArray<string>) => {
  for (const label of labels) {
    await world.run(
      createPlace(person.account.id, {
        label: Place.Label.make(label),
        kind: "other",
        circle: { lat: 52.52, lon: 13.405, radiusM: 150 }
      })
    )
  }
}

const appOf = async ({ callback, world }: Desk, owner: Person, more: object = {}) =>
  (await world.app(owner, { redirectUris: [RedirectUri.RedirectUri.make(callback)], ...more })).app

describeBrowser("the consent page with scripts", () => {
  const at = desk()

  it("two permissions and three places take one and a half screens of a phone at most [consent-12]", async () => {
    const { page } = at
    const person = await at.world.person()
    const app = await appOf(at, person)
    await (await phone(at.world, person)).at({ lat: 52.5, lon: 13.4 }, [0])
    await addPlaces(at, person, ["Home", "Office by the river", "Climbing gym"])
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${VISITS}`))
    await inspectClosely(page, "consent-common")
    await page.setViewportSize({ width: 390, height: 844 })
    const height = await page.evaluate<number>("document.documentElement.scrollHeight")
    expect(height).toBeLessThanOrEqual(1.5 * 844)
    // The durations must be in one row, and only the chosen duration may show its end date.
    const tops = await page.locator(".day-choice").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y))
    expect([tops.length, new Set(tops).size]).toEqual([5, 1])
    expect(await page.locator(".ends:visible").allInnerTexts()).toEqual(["Ends 31 March 2026 at 12:00 UTC"])
    await page.getByLabel("7 days").check()
    expect(await page.locator(".ends:visible").allInnerTexts()).toEqual(["Ends 8 March 2026 at 12:00 UTC"])
  })

  it("the buttons stay in sight, and a line says what is ticked [consent-12]", async () => {
    const { page } = at
    const person = await at.world.person()
    const app = await appOf(at, person)
    await addPlaces(at, person, ["Home"])
    await at.as(person)
    await page.setViewportSize({ width: 390, height: 600 })
    await page.goto(at.authorize(app, `${CURRENT} ${VISITS}`))
    const summary = page.locator("[data-summary]")
    expect(await summary.innerText()).toBe(
      "2 permissions · no places: the app does not learn where you are yet · 30 days"
    )
    const allow = page.getByRole("button", { name: "Allow", exact: true })
    for (const scroll of [0, 300, 10_000]) {
      await page.evaluate(`window.scrollTo(0, ${scroll})`)
      const box = await allow.boundingBox()
      expect((box?.y ?? 0) + (box?.height ?? 1_000)).toBeLessThanOrEqual(600)
    }
    await page.getByLabel("Home", { exact: false }).first().check()
    await page.getByLabel("Also share past visits to Home").check()
    await page.getByLabel("No end date").check()
    expect(await summary.innerText()).toBe("2 permissions · 1 place · past visits · no end date")
    for (const box of await page.locator("input[name=scope]").all()) await box.uncheck()
    expect(await summary.innerText()).toBe("Nothing is ticked yet")
  })

  it("with large text the buttons leave their place in sight, because they would hide the page [consent-12]", async () => {
    const { page, world } = at
    const person = await world.person()
    const app = await appOf(at, person)
    await addPlaces(at, person, ["Home", "Office by the river"])
    await world.run(chooseLanguage(person.account.id, "de"))
    await at.as(person)
    const position = () => page.evaluate<string>(`getComputedStyle(document.querySelector("[data-bar]")).position`)
    await page.setViewportSize({ width: 320, height: 568 })
    await page.goto(at.authorize(app, `${CURRENT} ${VISITS}`))
    expect(await position()).toBe("fixed")
    // Each label must be in one line: a narrow button would break the word.
    const lines = await page.evaluate<ReadonlyArray<unknown>>(
      `[...document.querySelectorAll("[data-bar] button")].map((one) => {
        const range = document.createRange()
        range.selectNodeContents(one)
        return [one.textContent, new Set([...range.getClientRects()].map(({ top }) => top)).size]
      })`
    )
    expect(lines).toEqual([
      ["Abbrechen", 1],
      ["Erlauben", 1]
    ])
    // A field that gets the focus must be scrolled to a place above the bar of buttons, which would cover it.
    const isFree = await page.evaluate<boolean>(
      `parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom) >=
        document.querySelector("[data-bar]").offsetHeight`
    )
    expect(isFree).toBe(true)
    await withLargeText(page, async () => {
      await page.reload()
      expect(await position()).toBe("static")
      await page.setViewportSize({ width: 1280, height: 900 })
      await expect.poll(position).toBe("fixed")
      await page.setViewportSize({ width: 390, height: 664 })
      await expect.poll(position).toBe("static")
    })
    await fitsLargeText(page)
  })

  it("the line says that the app does not learn where the person is only while every ticked permission needs a place [consent-14]", async () => {
    const { page } = at
    const person = await at.world.person()
    const app = await appOf(at, person)
    await at.as(person)
    const summary = page.locator("[data-summary]")
    await page.goto(at.authorize(app, `${CURRENT} ${ZONE}`))
    await inspect(page, "consent-areas")
    expect(await summary.innerText()).toBe("2 permissions · no places · 30 days")
    await page.getByLabel("Ask whether you are inside an area the app chooses").uncheck()
    expect(await summary.innerText()).toBe(
      "1 permission · no places: the app does not learn where you are yet · 30 days"
    )
    await page.goto(at.authorize(app, ZONE))
    await inspect(page, "consent-only-areas")
    expect(await summary.innerText()).toBe("1 permission · 30 days")
  })

  it("above ten places there are a search and a tick for all; what is ticked is never hidden [consent-12]", async () => {
    const { page } = at
    const person = await at.world.person()
    const app = await appOf(at, person)
    await addPlaces(at, person, ["Café Zwölf", ...Array.from({ length: 10 }, (_, index) => `Shop ${index}`)])
    await at.as(person)
    await page.goto(at.authorize(app, CURRENT))
    await inspect(page, "consent-search")
    await page.getByLabel("Shop 3").first().check()
    await page.getByLabel("Find a place").fill("cafe zwo")
    expect(await page.locator("input[name=place]:visible").count()).toBe(2)
    await page.getByLabel("Find a place").press("Enter")
    await page.getByRole("button", { name: "Tick all", exact: true }).click()
    await page.getByLabel("Find a place").fill("")
    expect(await page.locator("input[name=place]:visible").count()).toBe(11)
    expect(await page.locator("input[name=place]:checked").count()).toBe(2)
    await page.getByRole("button", { name: "Tick all", exact: true }).click()
    expect(await page.locator("[data-summary]").innerText()).toBe("1 permission · 11 places · 30 days")
    await page.getByRole("button", { name: "Untick all" }).click()
    expect(await page.locator("input[name=place]:checked").count()).toBe(0)
  })

  it("a place is added on the map of the page, and Allow shares it [consent-11]", async () => {
    const { page, world } = at
    const person = await world.person()
    const app = await appOf(at, person)
    await addPlaces(at, person, ["Home"])
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${VISITS}`))
    await page.getByLabel("See your visits to the places you share").uncheck()
    await page.getByText("Add a place").click()
    await page.getByLabel("Name").fill("Swimming pool")
    await page.locator("#map.leaflet-container").click({ position: { x: 120, y: 120 } })
    await inspect(page, "consent-add-place")
    // Pressing Enter in a field of the place must add the place. It must neither allow nor cancel the consent.
    await page.getByLabel("Name").press("Enter")
    await page.getByText("Swimming pool is added and ticked.").waitFor()
    expect(await page.locator("input[name=place]:checked").count()).toBe(1)
    expect(await page.getByLabel("See your visits to the places you share").isChecked()).toBe(false)
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
    const [connection] = await world.run(listConnections(person.account.id))
    expect(connection?.places.map(({ label }) => label)).toEqual(["Swimming pool"])
  })
})

describeBrowser("the consent page without scripts: a place, and who asks", () => {
  const at = desk({ browser: { javaScriptEnabled: false } })

  it("the sign-in says which app asks, if a reviewer has seen its name [consent-10]", async () => {
    const { page, world } = at
    const owner = await world.person()
    const app = await appOf(at, owner, { status: "production" })
    const sandbox = await appOf(at, owner)
    await page.goto(at.authorize(app, CURRENT))
    await page.getByText("Coffee Finder wants to connect to your account.").waitFor()
    await page.getByRole("link", { name: "Create one" }).click()
    await page.getByText("Coffee Finder wants to connect to your account.").waitFor()
    await page.goto(at.authorize(sandbox, CURRENT))
    await page.getByText("An app that is still being tested wants to connect").waitFor()
    expect(await page.locator("main").innerText()).not.toContain("Coffee Finder")
    await page.goto(`${world.url}/sign-in?return_to=/portal/places`)
    expect(await page.locator("main").innerText()).not.toContain("wants to connect")
  })

  it("sign-in, a first place, Allow: no other page is needed [consent-11]", async () => {
    const { page, world } = at
    const person = await world.person()
    const app = await appOf(at, person)
    await page.goto(at.authorize(app, `${CURRENT} ${VISITS}`))
    await page.getByLabel("Email").fill(person.account.email)
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByLabel("90 days").check()
    await page.getByLabel("Name").fill("Home")
    // The button Allow must not drop a new place of which only some fields are filled in.
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    await page.getByRole("link", { name: "Set the centre of the place: click the map" }).waitFor()
    await page.getByLabel("Latitude").fill("52,52")
    await page.getByLabel("Longitude").fill("13.405")
    await page.getByRole("button", { name: "Add this place" }).click()
    await page.getByText("Home is added and ticked.").waitFor()
    expect(await page.getByLabel("90 days").isChecked()).toBe(true)
    await page.reload()
    expect((await world.run(listPlaces(person.account.id))).length).toBe(1)
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
    const [connection] = await world.run(listConnections(person.account.id))
    expect(connection?.places.map(({ label }) => label)).toEqual(["Home"])
  })

  it("a place of a request that is over is not added [consent-11]", async () => {
    const { page, world } = at
    const person = await world.person()
    const app = await appOf(at, person, { declaredScopes: [CURRENT, LATEST] })
    await at.as(person)
    await page.goto(at.authorize(app, CURRENT))
    world.clock.advance(3_600_000)
    await page.getByLabel("Name").fill("Home")
    await page.getByLabel("Latitude").fill("52.52")
    await page.getByLabel("Longitude").fill("13.405")
    await page.getByRole("button", { name: "Add this place" }).click()
    await page.getByText("This page is too old").waitFor()
    expect(await world.run(listPlaces(person.account.id))).toEqual([])
  })
})
