import type axe from "axe-core"
import type { BrowserContext, CDPSession, Page } from "playwright-core"
import { readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { expect } from "vitest"
import type { Person } from "./World.js"

/** Signs the browser in as `person` by setting the session cookie, without using the sign-in page. */
export const signInAs = (context: BrowserContext, url: string, { cookie }: Person): Promise<void> => {
  const [name = "", value = ""] = cookie.split("=")
  return context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Lax" }])
}

/** The minified script of axe-core. `axe.source` is twice as long, and each page has to load the whole script. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/**
 * A session of the DevTools protocol for each page. It ends with the page and is never detached: when a session of a
 * page is detached, Chromium removes the page's virtual authenticator.
 */
const sessions = new WeakMap<Page, CDPSession>()

const sessionOf = async (page: Page): Promise<CDPSession> => {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  return session
}

/**
 * Runs a script in the page. Playwright's `evaluate` runs a text by `eval`, which takes almost twice the time for a
 * script as long as axe-core's.
 */
const load = async (page: Page, expression: string): Promise<void> => {
  const { exceptionDetails } = await (await sessionOf(page)).send("Runtime.evaluate", { expression })
  expect(exceptionDetails).toBeUndefined()
}

/** The findings of axe-core, for the given rules or for all rules. */
const accessibilityFaults = async (page: Page, rules?: ReadonlyArray<string>): Promise<ReadonlyArray<axe.Result>> => {
  if (!(await page.evaluate<boolean>(`"axe" in window`))) await load(page, AXE)
  const options: axe.RunOptions = {
    resultTypes: ["violations"],
    // axe-core preloads files only for an experimental rule and for `no-autoplay-audio`. The pages have no sound, so
    // nothing needs to be preloaded.
    preload: false,
    ...(rules === undefined ? {} : { runOnly: [...rules] })
  }
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`)
  return violations
}

const inWords = (found: ReadonlyArray<axe.Result>): ReadonlyArray<string> =>
  found.map(({ help, id, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => html).join("\n")}`)

/** If `SCREENSHOTS` names a folder, tests save screenshots of pages there, in the widths of a desktop and a phone. */
const SCREENSHOTS = process.env["SCREENSHOTS"]

/**
 * Checks the open page: it must be accessible, its tab order must follow the reading order, and it must fit the width
 * of a phone.
 */
export const inspect = async (page: Page, name: string): Promise<void> => {
  // Leaves out findings that axe-core itself calls minor, because they are a matter of taste.
  expect(inWords((await accessibilityFaults(page)).filter(({ impact }) => impact !== "minor"))).toEqual([])
  await fits(page, name)
}

/**
 * Like `inspect`, in a browser that may have scripts off: without scripts axe-core cannot run, and only the checks of
 * `fits` are made.
 */
export const look = (page: Page, name: string, hasScripts: boolean): Promise<void> =>
  hasScripts ? inspect(page, name) : fits(page, name)

type Scheme = "light" | "dark"

/**
 * Checks more than `inspect`: every rule of axe-core at the widths 1280 and 390, and the colours of the schemes that
 * `schemes` names for each width.
 */
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
      // Only the rule `color-contrast` depends on the colours, so the other rules run for the first scheme only.
      const faults = inWords(await accessibilityFaults(page, index === 0 ? undefined : ["color-contrast"]))
      expect({ width, colorScheme, faults }).toEqual({ width, colorScheme, faults: [] })
    }
  })
}

/** Elements whose content is wider than the element, so that a phone shows only the beginning of the content. */
const CUT_OFF = `[...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.innerText.slice(0, 200))`

/** Headings, tables, terms of a list and other buttons that are too near to the button above them. */
const STUCK = `[...document.querySelectorAll("main button:not(.link, [role=tab]), main a.button")].flatMap((button) => {
  const above = button.getBoundingClientRect()
  if (!button.checkVisibility()) return []
  return [...document.querySelectorAll("main :is(h2, h3, table, dt, button:not(.link, [role=tab]), a.button)")]
    .filter((one) => {
      const below = one.getBoundingClientRect()
      const gap = below.top - above.bottom
      return one.checkVisibility() && gap > -1 && gap < 8 && below.left < above.right && above.left < below.right + 400
    })
    .map((one) => button.innerText + " / " + one.innerText.slice(0, 30))
})`

/**
 * Terms and values of a list whose column is too narrow to read, or that stick out of their card: beside a long name,
 * for example.
 */
const SQUEEZED = `[...document.querySelectorAll("main :is(dt, dd)")]
  .filter((one) => {
    const { right, width } = one.getBoundingClientRect()
    const card = one.closest(".card")?.getBoundingClientRect().right ?? window.innerWidth
    return one.checkVisibility() && (right > card || (width < 60 && one.innerText.length > 8))
  })
  .map((one) => one.innerText.slice(0, 60))`

/** Whether a person must scroll the navigation sideways. Browsers of phones show no scrollbar there. */
const NAVIGATION_IS_CUT = `[...document.querySelectorAll(".top nav")].some((one) => one.scrollWidth > one.clientWidth)`

/** The elements that are wider than the window, for the message of a test that fails. */
const WIDE = `[...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > window.innerWidth + 1)
  .map((one) => one.outerHTML.slice(0, 100))`

const OVERFLOW = "document.documentElement.scrollWidth - window.innerWidth"

/** Runs `run` while the browser shows text in twice the usual size. People set this size in their browser. */
export const withLargeText = async (page: Page, run: () => Promise<void>): Promise<void> => {
  const session = await sessionOf(page)
  await session.send("Page.setFontSizes", { fontSizes: { standard: 32 } })
  await run()
  await session.send("Page.setFontSizes", { fontSizes: { standard: 16 } })
}

/** Checks that text in twice the usual size fits the width of the smallest phones. */
export const fitsLargeText = (page: Page): Promise<void> =>
  withLargeText(page, async () => {
    await page.setViewportSize({ width: 320, height: 568 })
    const overflow = Math.max(0, await page.evaluate<number>(OVERFLOW))
    const isCut = await page.evaluate<boolean>(NAVIGATION_IS_CUT)
    const wide = overflow > 0 ? await page.evaluate<ReadonlyArray<string>>(WIDE) : []
    expect({ overflow, wide, isCut }).toEqual({ overflow: 0, wide: [], isCut: false })
  })

/**
 * The widths of fields for a date that are too narrow for a date of ten characters and the button of the calendar:
 * such a field hides the year. The button and the space around it are 1.5 times as wide as the text is high.
 */
const CUT_DATES = `[...document.querySelectorAll("input[type=date]")].flatMap((field) => {
  const { borderLeftWidth, fontSize, paddingLeft } = getComputedStyle(field)
  const text = document.createElement("span")
  text.textContent = "28/11/2026"
  text.style.font = getComputedStyle(field).font
  text.style.position = "absolute"
  document.body.append(text)
  const width = text.getBoundingClientRect().width
  text.remove()
  const needed = width + 1.5 * parseFloat(fontSize) + 2 * (parseFloat(paddingLeft) + parseFloat(borderLeftWidth))
  const has = field.getBoundingClientRect().width
  return !field.checkVisibility() || has >= needed ? [] : [field.name + " needs " + needed + ", has " + has]
})`

/** Checks that the fields for dates show a whole date on phones. */
export const showsDates = async (page: Page): Promise<void> => {
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ width, height: 900 })
    expect({ width, cut: await page.evaluate<ReadonlyArray<string>>(CUT_DATES) }).toEqual({ width, cut: [] })
  }
}

/** Checks that the page fits the width of a desktop and of a phone, and that nothing on it is squeezed. */
export const fits = async (page: Page, name: string, look?: (width: 1280 | 390) => Promise<void>): Promise<void> => {
  const reordered = await page.evaluate<number>(
    `[...document.querySelectorAll("[tabindex]")].filter((one) => one.tabIndex > 0).length`
  )
  expect(reordered).toBe(0)
  for (const width of [1280, 390] as const) {
    await page.setViewportSize({ width, height: 900 })
    await look?.(width)
    const cutOff = width === 390 ? await page.evaluate<ReadonlyArray<string>>(CUT_OFF) : []
    expect(cutOff).toEqual([])
    const stuck = await page.evaluate<ReadonlyArray<string>>(STUCK)
    expect({ width, stuck }).toEqual({ width, stuck: [] })
    const squeezed = await page.evaluate<ReadonlyArray<string>>(SQUEEZED)
    expect({ width, squeezed }).toEqual({ width, squeezed: [] })
    const overflow = await page.evaluate<number>(OVERFLOW)
    expect({ width, overflow: Math.max(0, overflow) }).toEqual({ width, overflow: 0 })
    if (SCREENSHOTS !== undefined) {
      await mkdir(SCREENSHOTS, { recursive: true })
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}.png`), fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
