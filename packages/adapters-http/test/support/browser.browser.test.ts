import { expect, it } from "vitest"
import { describeBrowser, theBrowser } from "../../../domain/test/support/chromium.js"

describeBrowser("theBrowser", () => {
  it("renders a page without a window", async () => {
    const page = await (await theBrowser()).newPage()
    await page.setContent("<h1>Places</h1>")
    expect(await page.getByRole("heading").textContent()).toBe("Places")
    await page.close()
  })
})
