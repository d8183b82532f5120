import { App } from "@place-access/domain/apps"
import { EndpointStore, EndpointUrl } from "@place-access/domain/endpoints"
import { createPlace, Place } from "@place-access/domain/places"
import { EndpointId, Timestamp } from "@place-access/domain/shared"
import { fanOutAll } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { north, phone } from "../support/phone.js"
import { bearer, type Person, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

const HOME = { lat: 52.37, lon: 4.89 }
const { MINUTE } = Timestamp

/**
 * A person with a rule about the place Home. The phone reported five positions, 50 seconds apart: at the edge of the
 * place, away, at home, away, and at home again. An hour later the phone uploaded three readings that were 20 to 40
 * minutes old.
 */
const story = async (world: World, owner: Person) => {
  const person = await world.person()
  const { app } = await world.app(owner, { name: App.AppName.make("Coffee Finder"), status: "production" })
  await world.run(
    Effect.flatMap(EndpointStore, (store) =>
      store.create({
        appId: app.id,
        id: EndpointId.make(`ep_${app.id.slice(4)}`),
        url: EndpointUrl.EndpointUrl.make("https://hooks.example.com/in"),
        events: [],
        description: null,
        disabledAt: null,
        epoch: 0,
        strikes: 0,
        headers: [],
        secrets: [],
        createdAt: app.createdAt
      })
    )
  )
  const home = await world.run(
    createPlace(person.account.id, {
      label: Place.Label.make("Home"),
      kind: "home",
      circle: { ...HOME, radiusM: 150 }
    })
  )
  const scopes = ["location.rules.place", "location.rules.zone"]
  const { accessToken } = await world.connect(person, app, {
    scopes,
    places: [home.id],
    request: { external_user_id: "user 7" }
  })
  const create = (path: string, body: object) => {
    const json = jsonBody(body)
    return world.call(path, {
      ...json,
      method: "POST",
      headers: { ...json.headers, ...bearer(accessToken).headers }
    })
  }
  expect((await create("/v1/rules/place", { type: "enter", place_id: home.id })).status).toBe(201)
  const device = await phone(world, person)
  for (const metres of [150, 1_000, 0, 1_000, 0]) {
    world.clock.advance(50 * Timestamp.SECOND)
    await device.at(north(HOME, metres), [0])
  }
  world.clock.advance(60 * MINUTE)
  await device.at(north(HOME, 1_000), [40 * MINUTE])
  await device.at(HOME, [20 * MINUTE])
  await device.at(HOME, [30 * MINUTE])
  // One minute passes after the last upload, so that the clock is later than the times of all stored rows.
  world.clock.advance(MINUTE)
  await world.run(fanOutAll(100))
  return { app, person }
}

const cells = (rows: ReadonlyArray<string>) => rows.map((text) => text.replace(/\s+/g, " ").trim())

describeBrowser("why a rule fired, and why not", () => {
  const at = desk()

  it("its user reads it in words, from the page of the connection", async () => {
    const { page, world } = at
    const { person } = await story(world, await world.person())
    await at.as(person)
    await page.goto(`${world.url}/portal/connections`)
    await page.getByRole("link", { name: "See details or disconnect" }).click()
    await page.getByRole("link", { name: "Why it was notified, or not" }).click()
    await page.getByRole("heading", { name: "Notifications for Coffee Finder" }).waitFor()
    await inspect(page, "rule-of-user")
    expect(cells(await page.locator("tbody td:last-child").allInnerTexts())).toEqual([
      "Older than a reading that was checked before: ignored.",
      "You came in, but your phone sent it 20 minutes later: Coffee Finder got no notification.",
      "You went out, which this rule does not watch. Coffee Finder got no notification.",
      "You came in, less than 2 minutes after the last time: Coffee Finder got no second notification.",
      "You went out, which this rule does not watch. Coffee Finder got no notification.",
      "You came in: we prepared a notification for Coffee Finder.",
      "The first clear reading: it only shows where you begin.",
      "Too near the edge to decide whether you were there."
    ])
    expect(await page.content()).not.toMatch(/52\.3|4\.89/)
    const stranger = await world.person()
    await at.as(stranger)
    const answer = await page.reload()
    expect(answer?.status()).toBe(404)
  })

  it("the developer reads decisions by connection, with the way to what was sent; the user's log says that they looked", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app, person } = await story(world, owner)
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}/users`)
    await page.getByRole("link", { name: "Rules" }).click()
    await page.getByRole("heading", { name: "place.enter Home" }).waitFor()
    await inspect(page, "rules-of-grant")
    expect(await page.locator("td[data-label=Decision] code").allInnerTexts()).toEqual([
      "out_of_order",
      "stale",
      "crossed",
      "cooling_down",
      "crossed",
      "fired",
      "seeded",
      "boundary"
    ])
    const html = await page.content()
    expect(html).toContain("user 7")
    for (const secret of [person.account.id, person.account.email, "52.3", "4.89"]) expect(html).not.toContain(secret)

    await page.getByRole("link", { name: /^evt_/ }).click()
    await page.getByRole("heading", { name: "Coffee Finder" }).waitFor()
    await inspect(page, "deliveries-of-event")
    expect(await page.locator("tbody tr").count()).toBe(1)
    expect(await page.getByLabel("Event id").inputValue()).toMatch(/^evt_/)
    await page.getByLabel("Event id").fill("no event")
    await page.getByRole("button", { name: "Show" }).click()
    await page.getByRole("heading", { name: "There is a problem" }).waitFor()
    expect(await page.getByText("Nothing was sent here.").count()).toBe(0)
    expect(await page.locator("tbody tr").count()).toBe(0)

    await at.as(person)
    await page.goto(`${world.url}/portal/access-log`)
    await page.getByText("Its developer looked at why it was notified, or was not").waitFor()
    await page.getByText("1 rule with their last checks, to the app's developer").waitFor()
  })

  it("a connection that has ended, and one of another app, have no rules to show", async () => {
    const { page, world } = at
    const owner = await world.person()
    const { app } = await story(world, owner)
    const { app: other } = await world.app(owner)
    await at.as(owner)
    await page.goto(`${world.url}/developer/apps/${app.id}/users`)
    const href = await page.getByRole("link", { name: "Rules" }).getAttribute("href")
    const answer = await page.goto(world.url + String(href).replace(app.id, other.id))
    expect(answer?.status()).toBe(404)
  })
})
