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

/** What axe-core finds by these rules, or by all of them. */
const accessibilityFaults = async (page: Page, rules?: ReadonlyArray<string>): Promise<ReadonlyArray<axe.Result>> => {
  if (!(await page.evaluate<boolean>(`"axe" in window`))) await page.evaluate(axe.source)
  const options: axe.RunOptions = {
    resultTypes: ["violations"],
    ...(rules === undefined ? {} : { runOnly: [...rules] })
  }
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`)
  return violations
}

const inWords = (found: ReadonlyArray<axe.Result>): ReadonlyArray<string> =>
  found.map(({ help, id, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => html).join("\n")}`)

/** Set to a folder, pages leave pictures of themselves there, as wide as a desk and as narrow as a phone. */
const SCREENSHOTS = process.env["SCREENSHOTS"]

/** Pages that are open must be accessible, be gone through in the order that they are read in, and be no wider than a phone. */
export const inspect = async (page: Page, name: string): Promise<void> => {
  // What is a matter of taste aside.
  expect(inWords((await accessibilityFaults(page)).filter(({ impact }) => impact !== "minor"))).toEqual([])
  await fits(page, name)
}

type Scheme = "light" | "dark"

/** More than `inspect`: every rule of axe-core at both widths, and the colours of the schemes named for each. */
export const inspectClosely = async (
  page: Page,
  name: string,
  schemes: Readonly<Record<1280 | 390, readonly [Scheme, ...ReadonlyArray<Scheme>]>> = {
    1280: ["light", "dark"],
    390: ["light", "dark"]
  }
): Promise<void> => {
  await fits(page, name, async (width) => {
    for (const [index, colorScheme] of schemes[width].entries()) {
      await page.emulateMedia({ colorScheme })
      // No other rule depends on the colours.
      const faults = inWords(await accessibilityFaults(page, index === 0 ? undefined : ["color-contrast"]))
      expect({ width, colorScheme, faults }).toEqual({ width, colorScheme, faults: [] })
    }
  })
}

/** What is wider than its frame, which a phone shows the beginning of. */
const CUT_OFF = `[...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.innerText.slice(0, 200))`

const fits = async (page: Page, name: string, look?: (width: 1280 | 390) => Promise<void>): Promise<void> => {
  const reordered = await page.evaluate<number>(
    `[...document.querySelectorAll("[tabindex]")].filter((one) => one.tabIndex > 0).length`
  )
  expect(reordered).toBe(0)
  for (const width of [1280, 390] as const) {
    await page.setViewportSize({ width, height: 900 })
    await look?.(width)
    const cutOff = width === 390 ? await page.evaluate<ReadonlyArray<string>>(CUT_OFF) : []
    expect(cutOff).toEqual([])
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")
    expect({ width, overflow: Math.max(0, overflow) }).toEqual({ width, overflow: 0 })
    if (SCREENSHOTS !== undefined) {
      await mkdir(SCREENSHOTS, { recursive: true })
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}.png`), fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
