import { EndpointStore } from "@place-access/domain/endpoints"
import { warnOfStrikes } from "@place-access/domain/deliveries"
import type { EndpointId } from "@place-access/domain/shared"
import { Timestamp } from "@place-access/domain/shared"
import { WebhookFixtures } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { stage } from "../support/webhooks.js"
import type { World } from "../support/World.js"

const { claim, finish, insertMany, of } = WebhookFixtures

type Stage = Awaited<ReturnType<typeof stage>>

/** Lets the deliveries of `count` events to the first endpoint of `stage` fail at every attempt. */
const lose = (world: World, { app, endpoints: [id] }: Stage, count: number) =>
  world.run(
    Effect.gen(function* () {
      const endpoint = yield* Effect.flatten((yield* EndpointStore).find(app.id, id as EndpointId))
      yield* insertMany(endpoint, count)
      const at = yield* Timestamp.now
      const attempt = { attempt: 7, startedAt: at, endedAt: at, status: 503, error: "answered 503", snippet: "" }
      for (const one of of(yield* claim(), endpoint)) {
        yield* finish(one, { _tag: "Failed", at, reason: "exhausted" }, attempt)
      }
    })
  )

describeBrowser("an endpoint that fails, on its developer's pages (Spec §3.4)", () => {
  const at = desk({ options: { hasMailbox: true } })

  it("how many failed in a row, in words and as a bar; a warning from 10, the reason and the way back at 20 [endpoints-7-pages]", async () => {
    const { page, world } = at
    const on = await stage(world)
    await at.as(on.developer)
    const webhooks = `${world.url}/developer/apps/${on.app.id}/webhooks`
    const card = page.locator(`li[id="${on.endpoints[0]}"]`)
    const badge = card.locator("header .badge")
    const meter = card.getByRole("meter")

    await page.goto(webhooks)
    expect([await badge.innerText(), await meter.count(), await card.locator(".note").count()]).toEqual([
      "Enabled",
      0,
      0
    ])

    await lose(world, on, 7)
    await page.reload()
    await card.getByText("7 of 20 failed in a row").waitFor()
    expect(await page.getByRole("meter", { name: "7 of 20 failed in a row" }).getAttribute("value")).toBe("7")
    expect([await badge.innerText(), await card.locator(".note").count()]).toEqual(["Enabled", 0])
    await inspect(page, "strikes-7")

    await lose(world, on, 3)
    await page.reload()
    await card.getByText("10 in a row failed at every attempt; at 20 the endpoint is disabled.").waitFor()
    expect(await badge.innerText()).toBe("Failing")
    expect(await page.getByText("Failing").count()).toBe(1)
    await inspect(page, "strikes-10")
    await card.getByRole("link", { name: "what failed" }).click()
    expect(await page.locator("tbody tr").count()).toBe(10)

    await lose(world, on, 10)
    await world.run(warnOfStrikes())
    await page.goto(`${world.url}/dev/mailbox`)
    await inspect(page, "strikes-mailbox")
    const letters = page.getByRole("listitem").filter({ hasText: on.app.name })
    expect((await letters.getByRole("heading").allInnerTexts()).sort()).toEqual([
      `A webhook endpoint of ${on.app.name} failed 10 times in a row`,
      `A webhook endpoint of ${on.app.name} was disabled`
    ])
    await letters.filter({ hasText: "was disabled" }).getByRole("link", { name: "/webhooks#" }).click()
    expect(page.url()).toBe(`${webhooks}#${on.endpoints[0]}`)
    await card.getByText("Disabled, because 20 events in a row failed at every attempt.").waitFor()
    expect(await badge.innerText()).toContain("Disabled")
    expect(await meter.getAttribute("value")).toBe("20")
    await inspect(page, "strikes-20")

    await card.getByRole("button", { name: "Enable" }).click()
    await page.waitForURL(/done=endpoint-changed/)
    expect([await badge.innerText(), await meter.count(), await card.locator(".note").count()]).toEqual([
      "Enabled",
      0,
      0
    ])
  })
})
