import { App } from "@place-access/domain/apps"
import { createPlace, Place } from "@place-access/domain/places"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"

describeBrowser("forms in two tabs", () => {
  const at = desk()

  it("a developer's older tab names what differs, and saves on the second try [apps-11]", async () => {
    const { page, world } = at
    const owner = await world.person()
    const description = App.AppDescription.make("Finds good coffee.")
    const { app } = await world.app(owner, { description, homepageUrl: null })
    await at.as(owner)
    const url = `${world.url}/developer/apps/${app.id}`
    const newer = await page.context().newPage()
    await page.goto(url)
    await newer.goto(url)
    await newer.getByLabel("Web page").fill("https://coffee.example.com/")
    await newer.getByRole("button", { name: "Save", exact: true }).click()
    await newer.getByText("The app was changed.").waitFor()
    await newer.close()

    await page.locator('[name="description"]').fill("Finds very good coffee.")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("alert").getByText("Something changed since you opened this page").waitFor()
    expect(await page.getByLabel("Web page").inputValue()).toBe("https://coffee.example.com/")
    expect(await page.locator('[name="description"]').inputValue()).toBe("Finds very good coffee.")
    await inspect(page, "outdated-app")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("The app was changed.").waitFor()
  })

  it("an older tab does not move a place back, and says to make the change again [places-2]", async () => {
    const { page, world } = at
    const person = await world.person()
    const circle = { lat: 52.52, lon: 13.405, radiusM: 150 }
    const home = await world.run(
      createPlace(person.account.id, { label: Place.Label.make("Home"), kind: "home", circle })
    )
    await at.as(person)
    const url = `${world.url}/portal/places/${home.id}`
    const newer = await page.context().newPage()
    await page.goto(url)
    await newer.goto(url)
    await newer.getByLabel("Radius").fill("300")
    await newer.getByRole("button", { name: "Save" }).click()
    await newer.getByText("The place was changed.").waitFor()
    await newer.close()

    await page.getByLabel("Name").fill("My home")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("alert").getByText("Make your change again.").waitFor()
    expect(await page.getByLabel("Radius").inputValue()).toBe("300")
    expect(await page.getByLabel("Name").inputValue()).toBe("Home")
    await inspect(page, "outdated-place")
  })
})
