import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import type { Visitor } from "../support/visitor.js"
import { startWorld, type World } from "../support/World.js"

let world: World
let browser: Visitor
beforeAll(async () => {
  world = await startWorld()
  browser = await signedIn(world, (await world.person()).account.email)
})
afterAll(() => world.close())

/** The dates of the links to the month before and the month after. */
const monthsBeside = (text: string): ReadonlyArray<string | undefined> =>
  [...(/<caption>[\s\S]*?<\/caption>/.exec(text)?.[0] ?? "").matchAll(/\?day=([^"]*)"/g)].map(([, date]) => date)

describe("the calendar of a day in a year that nobody lived", () => {
  it.each([
    ["0999-06-01", ["0999-05-01", "0999-07-01"]],
    ["0001-01-15", ["0000-12-01", "0001-02-01"]],
    ["1000-01-01", ["0999-12-01", "1000-02-01"]],
    ["9999-11-30", ["9999-10-01", "9999-12-01"]]
  ])("%s", async (day, beside) => {
    const page = await browser.get(`/portal/timeline?day=${day}`)
    expect([page.status, monthsBeside(page.text)]).toEqual([200, beside])
  })

  it.each(["0000-01-01", "0000-02-29", "9999-12-31", "10000-01-01", "-001-01-01", "00-1-01-01"])("%s", async (day) => {
    const page = await browser.get(`/portal/timeline?day=${day}`)
    expect(page.status).toBe(200)
    for (const date of monthsBeside(page.text)) {
      expect([date, (await browser.get(`/portal/timeline?day=${date}`)).status]).toEqual([date, 200])
    }
  })
})
