import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"

describeBrowser("the documentation, as a stranger reads it", () => {
  const at = desk()

  it("from the front page through every chapter, with no account [wire-1-open]", async () => {
    const { page, world } = at
    await page.goto(world.url)
    await page.getByRole("main").getByRole("link", { name: "documentation" }).click()
    await page.getByRole("heading", { name: "Documentation", level: 1 }).waitFor()
    await inspect(page, "docs")
    for (const [name, picture] of [
      ["Quick start", "docs-quick-start"],
      ["Authorization", "docs-authorization"],
      ["Webhooks", "docs-webhooks"],
      ["Errors and limits", "docs-errors"],
      ["Reference", "docs-reference"]
    ] as const) {
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click()
      await page.getByRole("heading", { name, level: 1 }).waitFor()
      expect(await page.locator("nav [aria-current=page]").innerText()).toBe(name)
      await inspect(page, picture)
    }
    await page.getByRole("link", { name: "Decide on the request; answers with the address" }).click()
    await page.getByRole("heading", { name: "Consent", level: 1 }).waitFor()
    await page.goto(`${world.url}/docs/reference/rules`)
    await inspect(page, "docs-rules")
  })
})
