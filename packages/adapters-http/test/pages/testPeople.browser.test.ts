import { fanOutAll, deliverDue, MemoryImportReader, MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspectClosely } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { jsonBody } from "../support/wire.js"
import { bearer } from "../support/World.js"

describeBrowser("the page of an app's test people", () => {
  const at = desk()

  it("makes a person, shows the tokens once, and a trip leads to a webhook [test-people-1, test-people-4]", async () => {
    const { page, world } = at
    const developer = await world.person()
    const { app } = await world.app(developer)
    const url = `https://hooks.example.com/${app.id}`
    await world.run(
      Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.script(url, MemoryWebhookSender.answers(200)))
    )
    await developer.send("POST", `/v1/developer/apps/${app.id}/webhooks`, { url, events: [] })
    await at.as(developer)
    await page.goto(`${world.url}/developer/apps/${app.id}`)
    await page.getByRole("link", { name: "Test people" }).click()
    await page.getByText("No test person yet.").waitFor()
    await inspectClosely(page, "test-people-none")

    // The page must show a mistake beside its field, and keep the typed text.
    await page.getByLabel("Latitude of Home").fill("91")
    await page.getByRole("button", { name: "Create test person" }).click()
    await page.getByRole("alert").waitFor()
    expect(await page.getByLabel("Latitude of Home").inputValue()).toBe("91")
    await page.getByLabel("Latitude of Home").fill("52,3731")
    await page.getByRole("button", { name: "Create test person" }).click()

    const token = await page.getByTestId("access-token").innerText()
    expect((await world.call("/v1/me", bearer(token))).status).toBe(200)
    await inspectClosely(page, "test-people-made")
    await page.getByRole("link", { name: "I have kept them" }).click()
    await page.getByText("Home, Work").waitFor()
    expect(await page.content()).not.toContain(token)
    await inspectClosely(page, "test-people-one")

    const places = await world.call("/v1/answers/places", bearer(token))
    const home = (places.json as { places: ReadonlyArray<{ id: string; label: string }> }).places.find(
      ({ label }) => label === "Home"
    )
    const json = jsonBody({ type: "dwell", dwell_minutes: 30, place_id: home?.id })
    await world.call("/v1/rules/place", {
      ...json,
      method: "POST",
      headers: { ...json.headers, ...bearer(token).headers }
    })
    world.clock.advance(1_000)
    await page.getByLabel("Trip", { exact: true }).selectOption("stay")
    await page.getByRole("button", { name: "Start the trip" }).click()
    await page.getByText("The phone sent 32 readings.").waitFor()
    await world.run(Effect.zipRight(fanOutAll(100), deliverDue({ limit: 100, perEndpoint: 100 })))
    const posts = await world.run(Effect.flatMap(MemoryWebhookSender.Receivers, (all) => all.posts(url)))
    expect(posts.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(["place.dwell"])

    // There is no time for a second stay: a stay must begin after the newest reading of the phone, and must not end in
    // the future.
    await page.getByLabel("Trip", { exact: true }).selectOption("stay")
    await page.getByRole("button", { name: "Start the trip" }).click()
    await page.getByRole("alert").getByText("make another test person").waitFor()
    await inspectClosely(page, "test-people-refused")

    // A recorded log is a file. When the service cannot read the file, the page must say so beside the field.
    const log = (text: string) => ({ name: "log.txt", mimeType: "text/plain", buffer: Buffer.from(text) })
    const sendLog = async (text: string) => {
      const button = page.getByRole("button", { name: "Send the log" })
      if (!(await button.isVisible())) await page.getByText("Send a recorded log").click()
      await page.getByLabel("File", { exact: true }).setInputFiles(log(text))
      await button.click()
    }
    await sendLog("a song")
    await page.getByRole("link", { name: "File must be a complete file" }).click()
    expect(await page.evaluate("document.activeElement.id")).toMatch(/^file-usr_/)
    await inspectClosely(page, "test-people-no-log")
    await sendLog("x".repeat(1_048_577))
    await page.getByRole("alert").getByText("File must be at most 1 MiB").waitFor()
    world.clock.advance(60_000)
    await sendLog(
      [MemoryImportReader.FIRST_LINE, MemoryImportReader.line(1_588_327_200_000, 52.37, 4.89), ""].join("\n")
    )
    await page.getByText("The phone sent 1 reading.").waitFor()

    await page.getByText("Remove this test person").click()
    await page.getByRole("button", { name: "Remove test person" }).click()
    await page.getByText("The test person was removed.").waitFor()
    expect((await world.call("/v1/me", bearer(token))).status).toBe(401)
  })
})
