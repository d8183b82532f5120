import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspectClosely } from "../support/browser.js"
import { desk } from "../support/desk.js"

describeBrowser("the front page, as a stranger reads it [wire-6]", () => {
  const at = desk()

  it("fits a phone and a desk, in light and dark; nothing in its examples can be focused", async () => {
    const { page, world } = at
    await page.goto(world.url)
    await page.getByText("An example: the page on which you decide").first().waitFor()
    expect(await page.getByRole("group", { name: "An example" }).getByRole("button").first().isDisabled()).toBe(true)
    expect(await page.getByLabel("30 days").isChecked()).toBe(true)
    await inspectClosely(page, "home")
  })
})
