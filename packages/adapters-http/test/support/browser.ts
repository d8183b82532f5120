import axe from "axe-core"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, inject } from "vitest"
import type { Person } from "./World.js"

const executablePath = inject("chromiumPath")

/** A `describe` for what only a browser shows; skipped where there is none. */
export const describeBrowser = describe.skipIf(executablePath === null)

/** Chromium without a window. The sandbox is off because test machines run as root. */
export const launchBrowser = (): Promise<Browser> => {
  if (executablePath === null) throw new Error("No Chromium: wrap this suite in describeBrowser")
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
  })
}

/** Lets the browser be `person` without going through the sign-in page. */
export const signInAs = (context: BrowserContext, url: string, { cookie }: Person): Promise<void> => {
  const [name = "", value = ""] = cookie.split("=")
  return context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Lax" }])
}

/** What axe-core finds that is more than a matter of taste, as text. */
const accessibilityFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run()")
  return violations
    .filter(({ impact }) => impact !== "minor")
    .map(({ help, id, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => html).join("\n")}`)
}

/** Set to a folder, pages leave pictures of themselves there, as wide as a desk and as narrow as a phone. */
const SCREENSHOTS = process.env["SCREENSHOTS"]

/** Pages that are open must be accessible, be gone through in the order that they are read in, and be no wider than a phone. */
export const inspect = async (page: Page, name: string): Promise<void> => {
  expect(await accessibilityFaults(page)).toEqual([])
  const reordered = await page.evaluate<number>(
    `[...document.querySelectorAll("[tabindex]")].filter((one) => one.tabIndex > 0).length`
  )
  expect(reordered).toBe(0)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")
    expect({ width, overflow: Math.max(0, overflow) }).toEqual({ width, overflow: 0 })
    if (SCREENSHOTS !== undefined) {
      await mkdir(SCREENSHOTS, { recursive: true })
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}.png`), fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
