import { exportNext, ExportStore, requestExport } from "@place-access/domain/exports"
import { everything } from "@place-access/domain/leases"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryArchiveMaker } from "@place-access/domain/testing"
import { Effect } from "effect"
import type { Route } from "playwright-core"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { PASSWORD } from "../support/World.js"

const PAGE = /\/portal\/settings\/export/

/** Removes from an answer the header that reloads the page, so that a reload does not interrupt the inspection. */
const still = async (route: Route): Promise<void> => {
  const response = await route.fetch({ maxRedirects: 0 })
  const headers = Object.fromEntries(Object.entries(response.headers()).filter(([name]) => name !== "refresh"))
  await route.fulfill({ response, headers })
}

describeBrowser("taking one's data along", () => {
  const at = desk()

  it("an archive is asked for, watched, downloaded after a confirmation, and deleted [exports-1, exports-3]", async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    await page.goto(`${world.url}/portal/settings`)
    await page.getByRole("link", { name: "Take my data along…" }).click()
    await page.getByRole("heading", { name: "Take your data along" }).waitFor()
    await inspect(page, "export")

    await page.route(PAGE, still)
    await page.getByRole("button", { name: "Create an archive" }).click()
    await page.getByRole("heading", { name: "Your archive is being created" }).waitFor()
    const { id } = await world.run(
      Effect.gen(function* () {
        const store = yield* ExportStore
        const [one] = yield* store.list(person.account.id, 1)
        const leased = { userId: person.account.id, id: one!.id, lease: "watched" }
        const now = yield* Timestamp.now
        yield* store.claim(leased, now, now)
        yield* store.append(leased, { position: 0, sealed: new Uint8Array(1) }, { done: 3, total: 8 }, now)
        return one!
      })
    )
    await page.reload()
    await page.locator(":not(progress)").and(page.getByText("37% done")).waitFor()
    await inspect(page, "export-making")

    await world.run(Effect.provide(exportNext(everything.people), MemoryArchiveMaker.layer))
    world.clock.advance(15 * Timestamp.MINUTE)
    await page.goto(`${world.url}/portal/settings/export`)
    await page.getByRole("heading", { name: "Your archive is ready" }).waitFor()
    await inspect(page, "export-ready")
    await page.unroute(PAGE)
    await page.getByRole("link", { name: "Download" }).click()
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Go on" }).click()
    await page.getByRole("heading", { name: "Your archive is ready" }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click()
    ])
    expect(download.suggestedFilename()).toMatch(/^place-access-\d{4}-\d\d-\d\d\.zip$/)

    await page.getByRole("button", { name: "Delete this archive now" }).click()
    await page.getByText("The archive was deleted. Your data stays as it is.").waitFor()
    await inspect(page, "export-deleted")
    // The confirmation gave the session a new cookie, which only the browser has. So the test sends these requests
    // through the browser's context.
    const own = (method: string, path: string) =>
      page.request.fetch(world.url + path, { method, headers: { origin: world.url } })
    expect((await own("GET", `/v1/user/exports/${id}/archive`)).status()).toBe(404)

    for (let more = 0; more < 2; more++) {
      const requested = await world.run(requestExport(person.account.id))
      expect((await own("DELETE", `/v1/user/exports/${requested.id}`)).status()).toBe(204)
    }
    await page.getByRole("button", { name: "Create an archive" }).click()
    expect(await page.getByRole("alert").innerText()).toContain("You asked for 3 archives within 24 hours")
    await inspect(page, "export-refused")
  })
})
