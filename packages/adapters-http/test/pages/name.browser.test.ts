import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"

describeBrowser("the page of the name", () => {
  const at = desk()

  it("is reached from the settings, and leads back to them with the new name [accounts-22]", async () => {
    const { page, world } = at
    await at.as(await world.person())
    await page.goto(`${world.url}/portal/settings`)
    await page.getByRole("link", { name: "Change my name…" }).click()
    await page.getByRole("heading", { name: "Your name", level: 1 }).waitFor()
    await inspect(page, "settings-name")
    await page.getByLabel("Name", { exact: true }).fill("Grace Hopper")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved. Others read the new name from now on.").waitFor()
    expect(await page.getByText("Others read Grace Hopper.").count()).toBe(1)
    await inspect(page, "settings-after-name")
  })

  it("takes a name of 80 emoji, like the service, although the browser counts each of them twice [accounts-22]", async () => {
    const { page, world } = at
    await at.as(await world.person())
    await page.goto(`${world.url}/portal/settings`)
    await page.getByRole("link", { name: "Change my name…" }).click()
    const field = page.getByLabel("Name", { exact: true })
    await field.clear()
    // Playwright's `fill` ignores the attribute `maxlength`. Text that is typed, as here, is cut at this length.
    await page.keyboard.insertText("🙂".repeat(80))
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText(`Others read ${"🙂".repeat(80)}.`).waitFor()
  })
})
