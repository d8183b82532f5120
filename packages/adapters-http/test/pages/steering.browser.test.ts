import { RedirectUri } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { createPlace, Place } from "@place-access/domain/places"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"

describeBrowser("the pages on which a person steers a connected app", () => {
  const at = desk()

  it("pause, resume, end exact location, give it back, receipts: by forms alone [connection-4, connection-6, connection-7]", async () => {
    const { page, world } = at
    const person = await world.person()
    const { app } = await world.app(person, { redirectUris: [RedirectUri.RedirectUri.make(at.callback)] })
    const terms = {
      description: "To have your coffee ready.",
      scopes: ["location.latest.read"],
      expectedDailyVolume: 20
    } as const
    await world.run(createPurpose(person.account, app.id, { key: Purpose.PurposeKey.make("order_ahead"), terms }))
    const circle = { lat: 52.52, lon: 13.405, radiusM: 150 }
    const label = Place.Label.make("Home")
    const home = await world.run(createPlace(person.account.id, { label, kind: "home", circle }))
    const scopes = ["location.place.current", "location.visits.read", "location.latest.read"]
    await world.connect(person, app, { scopes, places: [home.id] })
    const [connection] = await world.run(listConnections(person.account.id))
    const id = connection?.id ?? ""
    await at.as(person)
    const url = `${world.url}/portal/connections/${id}`

    await page.goto(url)
    await inspect(page, "steering-live")
    await page.getByRole("button", { name: "1 hour" }).click()
    await page.getByText("The app is paused.").waitFor()
    await inspect(page, "steering-paused")
    await page.goto(`${world.url}/portal/connections`)
    await inspect(page, "steering-list")
    await page.getByRole("button", { name: "Resume all" }).click()
    await page.getByText("Every app can ask again.").waitFor()

    await page.goto(url)
    await page.getByRole("button", { name: "End exact location now" }).click()
    await page.getByText("The app no longer gets your exact location.").waitFor()
    expect(await page.getByRole("button", { name: "End exact location now" }).count()).toBe(0)
    await inspect(page, "steering-ended")
    await page.getByRole("button", { name: "Undo: give it back" }).click()
    await page.getByText("The app gets your exact location again").waitFor()
    await page.getByRole("button", { name: "End exact location now" }).click()
    await page.getByText("The app no longer gets your exact location.").waitFor()
    await page.getByLabel("See your latest exact location").check()
    await page.getByLabel("See your visits to the places you share").uncheck()
    await page.getByLabel("The connection ends").selectOption("7")
    await page.getByRole("button", { name: "Save changes" }).click()
    await page.getByText("Saved. The change takes effect now.").waitFor()
    for (const box of await page.locator("input[name=scopes]").all()) await box.uncheck()
    await page.getByRole("button", { name: "Save changes" }).click()
    await page.getByRole("alert").waitFor()
    await inspect(page, "steering-problem")

    await page.goto(`${url}/history`)
    await inspect(page, "steering-history")
    const titles = await page.locator("ol h2").allInnerTexts()
    expect(titles).toEqual([
      "Permissions changed",
      "Exact location ended",
      "Permissions changed",
      "Exact location ended",
      "Resumed",
      "Paused",
      "Connected"
    ])
    const download = page.waitForEvent("download")
    await page.getByRole("link", { name: /Download receipt\W*Connected/ }).click()
    const receipt = await (await download).createReadStream()
    const text = (await receipt.toArray()).map(String).join("")
    expect(text).toContain("App: Coffee Finder")
    expect(text).toContain("See your latest exact location")

    await page.goto(url)
    await page.getByText("Disconnect…").click()
    await page.getByRole("button", { name: "Disconnect Coffee Finder" }).click()
    await page.getByText("The app was disconnected.").waitFor()
  })
})
