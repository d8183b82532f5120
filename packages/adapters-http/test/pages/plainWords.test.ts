import { listPurposes } from "@place-access/domain/purposes"
import { afterAll, beforeAll, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const person = async () => {
  const owner = await world.person()
  return { owner, browser: await signedIn(world, owner.account.email) }
}

it("the title of a day of the timeline names the day as its heading does, in the reader’s language", async () => {
  const { browser } = await person()
  const titleIn = async (language: string) => {
    const { text } = await browser.get("/portal/timeline?day=2026-11-20", { "accept-language": language })
    return /<title>([^<]*)/.exec(text)?.[1]
  }
  expect(await titleIn("en")).toBe("Timeline: 20 November 2026 · Place Access")
  expect(await titleIn("de")).toBe("Verlauf: 20. November 2026 · Place Access")
})

it("a service that sends no mail says before and after a change of the address that no link arrives", async () => {
  const { browser } = await person()
  const path = "/portal/settings/email"
  const page = await browser.get(path)
  expect(page.text).toContain("no link arrives, and the address stays as it is.")
  const asked = await browser.submit(page, path, { email: "new@example.com" })
  const told = (await browser.get(asked.headers.get("location") ?? "")).text
  expect(told).toContain("Nothing has changed yet. The link cannot arrive")
  expect(told).not.toContain("is on its way")
})

it("the description of a purpose has a field of several lines, and becomes one line", async () => {
  const { browser, owner } = await person()
  const { app } = await world.app(owner)
  const path = `/developer/apps/${app.id}`
  const page = await browser.get(path)
  expect(page.text).toMatch(/<textarea\s+id="purpose_description"/)
  const fields = { key: "tea_time", purpose_description: "To have your tea\r\nready when you arrive\r\n" }
  const scopes = { purpose_scopes: ["location.lookup"], expected_daily_volume: "100" }
  const saved = await browser.submit(page, `${path}/purposes`, { ...fields, ...scopes })
  expect(saved.status).toBe(303)
  const [purpose] = await world.run(listPurposes(owner.account, app.id))
  expect(purpose?.terms.description).toBe("To have your tea ready when you arrive")
})
