import { recordAccess } from "@place-access/domain/access-log"
import { App } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { createPlace, listPlaces, Place } from "@place-access/domain/places"
import { createPurpose, flagVolumes, Purpose } from "@place-access/domain/purposes"
import { type AppId, type ConnectionId, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import type { Person, World } from "../support/World.js"

const CURRENT = "location.place.current"
const RULES = "location.rules.place"
const LATEST = "location.latest.read"

const place = (world: World, person: Person, label: string, lat = 52.52, lon = 13.405) =>
  world.run(
    createPlace(person.account.id, { label: Place.Label.make(label), kind: "home", circle: { lat, lon, radiusM: 150 } })
  )

/** Adds an entry to the access log, at the present time of the test's clock. */
const accessEntry = (
  world: World,
  person: Person,
  owner: { readonly appId: AppId; readonly connectionId: ConnectionId },
  more: {
    readonly purpose?: string
    readonly error?: string
    readonly endpoint?: string
    readonly disclosed?: string
  } = {}
) =>
  world.run(
    recordAccess({
      owner: { userId: person.account.id, ...owner },
      endpoint: more.endpoint ?? "GET /v1/answers/current-place",
      purpose: more.purpose ?? null,
      status: more.error === undefined ? 200 : 403,
      error: more.error ?? null,
      disclosed: more.error === undefined ? (more.disclosed ?? "that you were at Home") : (more.disclosed ?? null)
    })
  )

const connect = async (world: World, person: Person, name: string, scopes: ReadonlyArray<string>) => {
  const { app } = await world.app(person, { name: App.AppName.make(name) })
  if (scopes.includes(LATEST)) {
    await world.run(
      createPurpose(person.account, app.id, {
        key: Purpose.PurposeKey.make("order_ahead"),
        terms: {
          description: "To have your coffee ready when you come through the door.",
          scopes: [LATEST],
          expectedDailyVolume: 20
        }
      })
    )
  }
  const home = (await world.run(listPlaces(person.account.id)))[0]
  const { accessToken } = await world.connect(person, app, {
    scopes,
    places: home === undefined ? [] : [home.id],
    sensitiveDays: "7"
  })
  const connections = await world.run(listConnections(person.account.id))
  const connection = connections.find((one) => one.app.id === app.id)
  if (connection === undefined) throw new Error("no connection")
  return { app, accessToken, connection, owner: { appId: app.id, connectionId: connection.id } }
}

describeBrowser("connected apps", () => {
  const at = desk()

  it("the list says what, since, until and last used; the detail how often, for what, with places and rules; disconnecting says what it does", async () => {
    const { page, world } = at
    const person = await world.person()
    const home = await place(world, person, "Home")
    await place(world, person, "Office by the river")
    const coffee = await connect(world, person, "Coffee Finder", [CURRENT, RULES, LATEST])
    const tea = await connect(world, person, "Tea Time", [CURRENT])
    const rule = await world.call("/v1/rules/place", {
      method: "POST",
      headers: { authorization: `Bearer ${coffee.accessToken}`, "content-type": "application/json" },
      body: JSON.stringify({ type: "enter", place_id: home.id })
    })
    expect(rule.status).toBe(201)
    world.clock.advance(2 * Timestamp.HOUR)
    await accessEntry(world, person, coffee.owner)
    await accessEntry(world, person, coffee.owner, { purpose: "order_ahead", endpoint: "GET /v1/locations/latest" })
    world.clock.advance(Timestamp.HOUR)
    await accessEntry(world, person, coffee.owner, { error: "missing_scope" })

    await at.as(person)
    await page.goto(`${world.url}/portal/connections`)
    await inspect(page, "portal-list")
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Coffee Finder" }) })
    const text = await card.innerText()
    for (const part of [
      "See which of the places you share you are at now",
      "1 March 2026 at 12:00 UTC",
      "31 March 2026 at 12:00 UTC",
      // This is the time of the last use. A refused request was sent an hour later, and must not count as a use.
      "1 March 2026 at 14:00 UTC",
      "Until 8 March 2026 at 12:00 UTC",
      "Home"
    ]) {
      expect(text).toContain(part)
    }
    expect(await page.getByRole("listitem").filter({ hasText: "Tea Time" }).first().innerText()).toContain("Never")

    await card.getByRole("link", { name: "See details or disconnect" }).click()
    await inspect(page, "portal-detail")
    const used = await page.getByRole("region", { name: "How often it asked" }).locator("li").allInnerTexts()
    expect(used.map((one) => one.replace(/\s+/g, " "))).toEqual([
      "2 times Without your exact location",
      "1 time Your exact location: To have your coffee ready when you come through the door."
    ])
    expect(await page.getByRole("region", { name: "Its notifications" }).innerText()).toContain(
      "When you arrive at Home"
    )
    await page.getByText("Disconnect…").click()
    const end = page.locator(".steer details")
    expect(await end.innerText()).toContain("Its rules stop permanently.")
    expect(await end.innerText()).toContain("It keeps what it learned before.")
    await page.getByLabel("Office by the river").first().check()
    await page.getByRole("button", { name: "Save places" }).click()
    await page.getByText("The places that the app can ask about were changed.").waitFor()
    await page.getByText("Disconnect…").click()
    await page.getByRole("button", { name: "Disconnect Coffee Finder" }).click()
    await page.getByText("The app was disconnected.").waitFor()
    await inspect(page, "portal-ended")
    const ended = await page.getByRole("listitem").filter({ hasText: "Coffee Finder" }).first().innerText()
    expect(ended).toContain("1 March 2026 at 15:00 UTC: you disconnected it")
    expect(ended).toContain("1 March 2026 at 14:00 UTC")
    await page.getByRole("listitem").filter({ hasText: "Coffee Finder" }).getByRole("link", { name: "Details" }).click()
    await inspect(page, "portal-detail-ended")
    expect(await page.getByRole("button", { name: /Disconnect|Save/ }).count()).toBe(0)
    // The page must leave out the end dates of an ended connection, because a reader would mistake them for the date on
    // which the connection ended.
    expect(await page.locator("main").innerText()).not.toMatch(/31 March|8 March|Not now/)
    expect(tea.connection.live).toBe(true)
    world.clock.advance(-3 * Timestamp.HOUR)
  })
})

describeBrowser("the access log", () => {
  const at = desk()

  it("grouped by day and app, newest first; filtered by app, purpose and date; purposes in the user's words [access-log-5]", async () => {
    const { page, world } = at
    const person = await world.person()
    const coffee = await connect(world, person, "Coffee Finder", [CURRENT, LATEST])
    const tea = await connect(world, person, "Tea Time", [CURRENT])
    await accessEntry(world, person, tea.owner)
    await accessEntry(world, person, coffee.owner, {
      endpoint: "webhook place.enter",
      error: "too_old",
      disclosed: "nothing: “arrived at Home” came too late"
    })
    world.clock.advance(Timestamp.DAY)
    await accessEntry(world, person, coffee.owner)
    world.clock.advance(Timestamp.MINUTE)
    await accessEntry(world, person, tea.owner, { error: "missing_scope" })
    world.clock.advance(Timestamp.MINUTE)
    await accessEntry(world, person, coffee.owner, {
      purpose: "order_ahead",
      endpoint: "GET /v1/locations/latest",
      disclosed: "your latest exact location"
    })
    await at.as(person)
    await page.goto(`${world.url}/portal/access-log`)
    await inspect(page, "log")
    expect(await page.locator("main > h2").allInnerTexts()).toEqual(["2 March 2026", "1 March 2026"])
    const captions = await page.locator("caption").allInnerTexts()
    expect(captions.map((text) => text.replace(/\s+/g, " ").trim())).toEqual([
      "Coffee Finder 2 entries",
      "Tea Time 1 entry",
      "Coffee Finder 1 entry",
      "Tea Time 1 entry"
    ])
    const rows = page.locator("tbody tr")
    expect(await rows.first().innerText()).toContain("12:02:00 UTC")
    expect(await rows.first().innerText()).toContain("To have your coffee ready when you come through the door.")
    expect(await page.locator("main").innerText()).not.toContain("order_ahead")
    expect(await rows.nth(2).innerText()).toContain("you have not allowed this")
    expect(await rows.nth(3).innerText()).toContain("Withheld")
    expect(await rows.nth(3).innerText()).toContain("Nothing: “arrived at Home” came too late")
    expect(await rows.nth(3).innerText()).toContain("A notification when you arrive at a place")
    const file = page.getByRole("link", { name: "Download as a table (CSV)" })
    expect(await file.getAttribute("href")).toBe("/portal/access-log.csv")

    await page
      .getByLabel("Purpose")
      .selectOption({ label: "Coffee Finder: To have your coffee ready when you come through the door." })
    await page.getByRole("button", { name: "Show", exact: true }).click()
    expect(await rows.count()).toBe(1)
    await inspect(page, "log-purpose")
    await page.getByLabel("App", { exact: true }).selectOption("Tea Time")
    await page.getByRole("button", { name: "Show", exact: true }).click()
    await page.getByText("No app has asked anything here.").waitFor()
    await page.getByLabel("Purpose").selectOption("All purposes")
    await page.getByRole("button", { name: "Show", exact: true }).click()
    expect(await rows.count()).toBe(2)
    await page.getByLabel("To", { exact: true }).fill("2026-03-01")
    await page.getByRole("button", { name: "Show", exact: true }).click()
    expect(await page.locator("main > h2").allInnerTexts()).toEqual(["1 March 2026"])
    await page.getByRole("link", { name: "Show everything" }).click()
    expect(await rows.count()).toBe(5)
    world.clock.advance(-Timestamp.DAY - 2 * Timestamp.MINUTE)
  })

  it("an app that asked far more often than it said is flagged", async () => {
    const { page, world } = at
    const person = await world.person()
    const coffee = await connect(world, person, "Coffee Finder", [CURRENT, LATEST])
    const tea = await connect(world, person, "Tea Time", [CURRENT])
    await accessEntry(world, person, tea.owner)
    for (let count = 0; count < 41; count++) {
      await accessEntry(world, person, coffee.owner, { purpose: "order_ahead", endpoint: "GET /v1/locations/latest" })
    }
    world.clock.advance(Timestamp.HOUR)
    await world.run(Effect.flatMap(Timestamp.now, flagVolumes))
    await at.as(person)
    await page.goto(`${world.url}/portal/access-log`)
    await inspect(page, "log-flagged")
    const flag = await page.getByText("Coffee Finder asked unusually often").locator("..").innerText()
    expect(flag.replace(/\s+/g, " ")).toContain(
      "41 times from 28 February 2026 at 13:00 UTC to 1 March 2026 at 13:00 UTC for “To have your coffee ready when you come through the door.”, where it had said that 20 a day is the most it needs."
    )
    await page.getByLabel("App", { exact: true }).selectOption("Tea Time")
    await page.getByRole("button", { name: "Show", exact: true }).click()
    expect(await page.getByText("asked unusually often").count()).toBe(0)
    world.clock.advance(-Timestamp.HOUR)
  })

  it("pages go on with the same filter", async () => {
    const { page, world } = at
    const person = await world.person()
    const coffee = await connect(world, person, "Coffee Finder", [CURRENT])
    const tea = await connect(world, person, "Tea Time", [CURRENT])
    for (let count = 0; count < 60; count++) {
      await accessEntry(world, person, count < 55 ? coffee.owner : tea.owner)
      // The entries are two hours apart, so the page does not fold any of them into one line.
      world.clock.advance(2 * Timestamp.HOUR)
    }
    await at.as(person)
    await page.goto(`${world.url}/portal/access-log?app=${coffee.app.id}`)
    const lines = page.locator("tbody tr")
    expect(await lines.count()).toBe(50)
    await page.getByRole("link", { name: "Older" }).click()
    expect(await lines.count()).toBe(5)
    world.clock.advance(-120 * Timestamp.HOUR)
  })
})

describeBrowser("devices", () => {
  const at = desk()

  it("last seen, and how to set one up again, without the token", async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    await page.goto(`${world.url}/portal/devices`)
    await page.getByRole("link", { name: "Something else" }).click()
    await page.getByLabel("Name").fill("My phone")
    await page.getByLabel("Your own program").check()
    await page.getByRole("button", { name: "Add device" }).click()
    const token = await page.getByTestId("device-token").innerText()
    await page.getByRole("link", { name: "I have set it up" }).click()
    await page.getByText("Sent nothing yet").waitFor()
    const answer = await world.call("/v1/phone/locations", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ locations: [{ captured_at: "2026-03-01T12:00:00Z", lat: 52.52, lon: 13.405 }] })
    })
    expect(answer.status).toBe(200)
    await page.reload()
    await page.getByText("How to set up My phone").click()
    await inspect(page, "devices-instructions")
    const card = await page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "My phone" }) })
      .innerText()
    expect(card).toContain("1 March 2026 at 12:00 UTC")
    expect(card).toContain(`${world.url}/v1/phone/locations`)
    expect(await page.content()).not.toContain(token)
  })
})
