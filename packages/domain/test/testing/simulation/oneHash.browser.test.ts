import { expect, it } from "vitest"
import { describeBrowser, theBrowser } from "../../support/chromium.js"
import { bundleOfHashes, hashesHere } from "./hashes.js"

describeBrowser("a seed has one hash", () => {
  it("in Chromium, too, in another time zone and language", async () => {
    const context = await (await theBrowser()).newContext({ locale: "tr-TR", timezoneId: "Pacific/Kiritimati" })
    const page = await context.newPage()
    const errors: Array<string> = []
    page.on("pageerror", ({ message }) => void errors.push(message))
    await page.addScriptTag({ content: await bundleOfHashes("iife", "browser") })
    const hashes = await page.evaluate(() => (globalThis as { readonly hashes?: ReadonlyArray<string> }).hashes)
    await context.close()
    expect(errors).toEqual([])
    expect(hashes).toEqual(hashesHere())
  })
})
