import { afterAll, beforeAll, expect, it } from "vitest"
import { describeBrowser, launchBrowser } from "./browser.js"

describeBrowser("launchBrowser", () => {
  let browser: Awaited<ReturnType<typeof launchBrowser>>
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  it("renders a page without a window", async () => {
    const page = await browser.newPage()
    await page.setContent("<h1>Places</h1>")
    expect(await page.getByRole("heading").textContent()).toBe("Places")
  })
})
