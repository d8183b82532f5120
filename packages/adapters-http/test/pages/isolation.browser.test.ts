import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { arabicNames, NAMES } from "../support/arabicNames.js"
import { desk } from "../support/desk.js"

/**
 * Finds the names whose sentence the browser splits into several boxes. In a flexible box or a grid, each `<bdi>`
 * becomes a separate box, and so do the words before and after it.
 */
const TORN = `[...document.querySelectorAll("bdi")].flatMap(({ parentElement: parent, textContent }) => {
  if (!/flex|grid/.test(getComputedStyle(parent).display)) return []
  const hasWords = [...parent.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "")
  return hasWords || parent.querySelectorAll(":scope > bdi").length > 1 ? [textContent] : []
})`

const torn = (page: Page): Promise<ReadonlyArray<string>> => page.evaluate<ReadonlyArray<string>>(TORN)

/** The right side of the name in the line of the timeline, and the left side of the number after the name. */
const SIDES = `(() => {
  const strong = [...document.querySelectorAll("li strong")].find((one) => one.textContent.includes("${NAMES.home}"))
  const walker = document.createTreeWalker(strong.closest("li"), NodeFilter.SHOW_TEXT)
  const nodes = []
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) nodes.push(node)
  const at = nodes.findIndex((node) => strong.contains(node))
  const rest = nodes.slice(at + 1).find((node) => /\\d/.test(node.textContent))
  const [name, number] = [nodes[at], rest].map((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect()
  })
  return { name: name.right, number: number.left }
})()`

describeBrowser("names in Arabic, in a browser [languages-5]", () => {
  const at = desk({ options: { hasMailbox: true } })
  let stage: Awaited<ReturnType<typeof arabicNames>>
  beforeAll(async () => {
    stage = await arabicNames(at.world)
  })

  it("a number after a name is right of the name", async () => {
    const { page, world } = at
    await at.as(stage.ada)
    await page.goto(`${world.url}/portal/timeline`)
    const { name, number } = await page.evaluate<{ readonly name: number; readonly number: number }>(SIDES)
    expect(number).toBeGreaterThanOrEqual(name)
  })

  it("no sentence is torn apart at a name", async () => {
    const { page, world } = at
    await at.as(stage.ada)
    const faults: Array<string> = []
    let visited = 0
    for (const address of stage.addresses) {
      const { status, text } = await stage.ada.get(address, { headers: { accept: "text/html" } })
      if (status !== 200 || !text.includes("<bdi>")) continue
      visited += 1
      await page.goto(world.url + address)
      faults.push(...(await torn(page)).map((name) => `${address}: ${name}`))
    }
    expect(faults).toEqual([])
    expect(visited).toBeGreaterThan(20)
  })
})
