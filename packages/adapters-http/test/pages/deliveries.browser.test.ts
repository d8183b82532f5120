import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Timestamp } from "@place-access/domain/shared"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { LABEL, stage } from "../support/webhooks.js"

const WAITS_MS = [30_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 54_000_000]

/** The choices of a list whose text is wider than the list, so that the chosen text would be cut off. */
const clipped = (page: Page, id: string): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const list = document.getElementById("${id}")
    return [...list.options].map(({ text }) => text).filter((text) => {
      const alone = list.cloneNode()
      alone.style.width = "auto"
      alone.add(new Option(text))
      list.after(alone)
      const needed = alone.offsetWidth
      alone.remove()
      return needed > list.offsetWidth
    })
  })()`)

describeBrowser("the delivery log, for developers", () => {
  const at = desk()

  it("an attempt is brought forward, an event is sent again, what an endpoint lost is recovered; filters find them [§4.7-filter]", async () => {
    const { page, world } = at
    const on = await stage(world)
    const log = `${world.url}/developer/apps/${on.app.id}/deliveries`
    await at.as(on.developer)
    await on.script(MemoryWebhookSender.answers(500, "out of coffee"))
    const event = await on.fire()
    await page.goto(log)
    await page.getByRole("link", { name: "place.enter" }).click()
    // The service has not sent the event to the app yet, so the page must not show the content of the event.
    expect(await page.content()).not.toContain(LABEL)
    await on.work()
    world.clock.advance(Timestamp.SECOND)
    await page.reload()
    await inspect(page, "delivery-trying")
    expect(await page.locator("code.secret").last().innerText()).toContain(LABEL)
    await page.getByRole("button", { name: "Retry now" }).click()
    await page.getByText("The next attempt is due now.").waitFor()
    await on.work()
    for (const wait of WAITS_MS.slice(1)) {
      world.clock.advance(wait)
      await on.work()
    }
    await page.reload()
    expect(await page.locator("tbody tr").count()).toBe(7)

    await on.script(MemoryWebhookSender.answers(200, "thanks"))
    world.clock.advance(Timestamp.SECOND)
    await page.getByRole("button", { name: "Redeliver" }).click()
    await page.getByText("The event is queued again. This is its new delivery.").waitFor()
    await page.getByText("Replay 1").waitFor()
    await page.goBack()
    await page.getByRole("button", { name: "Redeliver" }).click()
    await page.getByText("It is still being attempted.").waitFor()
    await inspect(page, "delivery-refused")
    await on.work()
    await page.getByRole("link", { name: event.id }).click()
    expect(await page.locator("td[data-label=Outcome] .badge").allInnerTexts()).toEqual(["Delivered", "Failed"])
    await page.getByText("Replayed", { exact: true }).waitFor()
    await inspect(page, "deliveries-replayed")

    await on.script(MemoryWebhookSender.answers(500))
    await on.fire("place.exit")
    await on.work()
    for (const wait of WAITS_MS) {
      world.clock.advance(wait)
      await on.work()
    }
    await page.getByRole("link", { name: "Webhooks" }).click()
    const card = page.getByRole("listitem").filter({ hasText: on.endpoints[0] })
    await card.getByText("Send again what failed").click()
    await card.getByLabel("Events since the beginning of").fill("2026-03-01")
    await inspect(page, "webhooks-recover")
    await card.getByRole("button", { name: "Send again" }).click()
    await page.getByText("1 delivery queued, the oldest first.").waitFor()
    await page.getByLabel("Event", { exact: true }).selectOption("place.exit")
    await page.getByLabel("Outcome").selectOption("Failed")
    await page.getByRole("button", { name: "Show" }).click()
    await page.getByText("Replayed", { exact: true }).waitFor()
    expect(await page.locator("tbody tr").count()).toBe(1)
    await page.getByLabel("From").fill("2030-01-01")
    await page.getByRole("button", { name: "Show" }).click()
    await page.getByText("Nothing was sent here.").waitFor()
  })

  it("what a receiver answers in one long word is read without scrolling; what is too old cannot be redelivered", async () => {
    const { page, world } = at
    const on = await stage(world)
    await at.as(on.developer)
    await on.script(MemoryWebhookSender.answers(500, "x".repeat(1_000)))
    await on.fire("place.enter", { maxEventAgeS: 30 })
    await on.work()
    world.clock.advance(30 * Timestamp.SECOND + 1)
    await on.work()
    await page.goto(`${world.url}/developer/apps/${on.app.id}/deliveries`)
    expect(await clipped(page, "state")).toEqual([])
    expect(await clipped(page, "type")).toEqual([])
    await page.getByRole("link", { name: "place.enter" }).click()
    await page.getByText("Too old to send").waitFor()
    expect(await page.getByRole("button", { name: "Redeliver" }).count()).toBe(0)
    await page.getByText("The event is older than its rule allows, so it cannot be sent again.").waitFor()
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.locator(".scroll").evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    }
    await inspect(page, "delivery-too-old")
  })

  it("a viewer of the app reads when it was attempted and what was answered, and no data of the user [teams-1]", async () => {
    const { page, world } = at
    const on = await stage(world)
    const viewer = await world.person()
    const invitations = `/v1/developer/apps/${on.app.id}/team/invitations`
    const invited = await on.developer.send("POST", invitations, { email: viewer.account.email, role: "viewer" })
    const { id } = invited.json as { readonly id: string }
    expect((await viewer.send("POST", `${invitations}/${id}/accept`)).status).toBe(204)
    await on.script(MemoryWebhookSender.answers(500, "out of coffee"))
    await on.fire()
    await on.work()
    await at.as(viewer)
    await page.goto(`${world.url}/developer/apps/${on.app.id}/deliveries`)
    await page.getByRole("link", { name: "place.enter" }).click()
    await page.getByText("out of coffee").waitFor()
    expect(await page.content()).not.toContain(LABEL)
    for (const name of ["Retry now", "Redeliver"]) {
      expect([name, await page.getByRole("button", { name }).count()]).toEqual([name, 0])
    }
    await inspect(page, "delivery-as-viewer")
  })
})
