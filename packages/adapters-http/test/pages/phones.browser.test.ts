import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { bearer } from "../support/World.js"
import { jsonBody } from "../support/wire.js"
import * as Recorded from "../fixes/recorded.js"

describeBrowser("setting a phone up", () => {
  const at = desk()

  /** Adds a phone with the app. Afterwards the browser is on the page that explains the phone's setup. */
  const add = async (app: string, kind = "Android phone") => {
    const { page, world } = at
    await page.goto(`${world.url}/portal/devices`)
    await page.getByRole("link", { name: kind }).click()
    await page.getByLabel("Name").fill(`Phone with ${app}`)
    await page.getByLabel(app).check()
    await page.getByRole("button", { name: "Add device" }).click()
    await page.getByRole("heading", { name: `${app}, step by step` }).waitFor()
    expect(
      await page
        .getByRole("img", { name: /^QR code\. It holds / })
        .locator("svg")
        .count()
    ).toBe(1)
    expect(await page.getByRole("region", { name: "step by step" }).locator("ol").innerText()).not.toContain("pa_dv")
    const values = await page.getByRole("region", { name: "fill" }).locator("code").allInnerTexts()
    const link = page.getByRole("link", { name: `Open in ${app}` })
    return { values, link: (await link.count()) === 1 ? new URL((await link.getAttribute("href")) ?? "") : null }
  }

  const post = (address: string, init: RequestInit, headers: RequestInit["headers"]) =>
    at.world.call(new URL(address).pathname, {
      method: "POST",
      ...init,
      headers: { ...(init.headers as object), ...(headers as object) }
    })

  it("each app gets a code, a link or texts of its own; with what they hold it sends, and its card says so [devices-2]", async () => {
    const { page, world } = at
    await at.as(await world.person())
    const now = world.clock.now()

    const overland = await add("Overland", "iPhone")
    await inspect(page, "phone-overland")
    expect(overland.link?.href).toMatch(/^overland:\/\/setup\?/)
    const { token = "", url = "" } = Object.fromEntries(overland.link?.searchParams ?? [])
    expect(overland.values).toEqual([url, token, expect.stringMatching(/^dev_/)])
    const batch = jsonBody({ locations: [Recorded.overlandFix(now)] })
    expect((await post(url, batch, bearer(token).headers)).status).toBe(200)

    const owntracks = await add("OwnTracks")
    await inspect(page, "phone-owntracks")
    expect(owntracks.link?.href).toMatch(/^owntracks:\/\/\/config\?/)
    const inline = Buffer.from(owntracks.link?.searchParams.get("inline") ?? "", "base64").toString()
    const configuration = JSON.parse(inline) as Record<"url" | "username" | "password", string>
    expect(configuration).toMatchObject({ _type: "configuration", mode: 3, auth: true, encryptionKey: "" })
    expect(owntracks.values).toEqual(["HTTP", configuration.url, configuration.username, configuration.password])
    const credentials = Buffer.from(`${configuration.username}:${configuration.password}`).toString("base64")
    const message = jsonBody(Recorded.owntracksIos(now))
    const answer = await post(configuration.url, message, { authorization: `Basic ${credentials}` })
    expect([answer.status, answer.text]).toEqual([200, "[]"])

    const traccar = await add("Traccar Client")
    expect(traccar.link?.href).toMatch(/^org\.traccar\.client:\/\//)
    const [server = "", id = ""] = traccar.values
    expect((await post(server, jsonBody(Recorded.traccarClient(id, now)), {})).status).toBe(200)

    const osmand = await add("OsmAnd")
    expect(osmand.link).toBeNull()
    const [webAddress = ""] = osmand.values
    const filled = webAddress
      .replace("{0}", "52.37")
      .replace("{1}", "4.89")
      .replace("{2}", String(now - 1_000))
    expect((await world.call(filled.slice(world.url.length).replaceAll(/\{\d\}/g, "1"))).status).toBe(200)

    const gpslogger = await add("GPSLogger")
    await inspect(page, "phone-gpslogger")
    expect(gpslogger.link?.href).toMatch(/^gpslogger:\/\/properties\/http/)
    const [address = "", method, headers = "", body = ""] = gpslogger.values
    expect([method, headers.split("\n")]).toEqual([
      "POST",
      [expect.stringMatching(/^Content-Type/), expect.stringMatching(/^Auth/)]
    ])
    const [type = "", authorization = ""] = headers.split("\n").map((line) => line.replace(/^[^:]+: /, ""))
    const form = { body: Recorded.gpsLoggerFills(body, now) }
    expect((await post(address, form, { "content-type": type, authorization })).status).toBe(200)

    await page.getByRole("link", { name: "I have set it up" }).click()
    await inspect(page, "phones")
    expect(await page.getByText("Sending", { exact: true }).count()).toBe(5)
    expect(await page.content()).not.toContain("pa_dv")
  })

  it("the page that waits says by itself that a location arrived, and each text has a button that copies it [devices-13]", async () => {
    const { context, page, world } = at
    await at.as(await world.person())
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    const { values } = await add("Overland", "iPhone")
    const box = page.locator("#arrival")
    expect(await box.innerText()).toContain("Waiting for the first location…")
    const [url = "", token = ""] = values
    await page.getByRole("button", { name: "Copy Access Token" }).click()
    await page.getByText("Copied").waitFor()
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(token)
    await post(url, jsonBody({ locations: [Recorded.overlandFix(world.clock.now())] }), bearer(token).headers ?? {})
    await page.getByText(/^Received, ±\d+ m\./).waitFor({ timeout: 15_000 })
    expect(await box.getAttribute("data-state")).toBe("sending")
    await inspect(page, "phone-received")
    await context.clearPermissions()
  })

  it("its page draws the last 24 hours, with what came late and what to change [devices-16]", async () => {
    const { page, world } = at
    await at.as(await world.person())
    const { values } = await add("Overland", "iPhone")
    const [url = "", token = ""] = values
    world.clock.advance(30 * 60_000)
    const now = world.clock.now()
    const minutesAgo = Array.from({ length: 200 }, (_, index) => 4 * index + (index < 60 ? 0 : 300))
    const locations = minutesAgo.map((minutes) => Recorded.overlandFix(now - minutes * 60_000))
    await post(url, jsonBody({ locations }), bearer(token).headers ?? {})
    await page.getByRole("link", { name: "I have set it up" }).click()
    await page.getByRole("link", { name: "Phone with Overland" }).click()
    const section = page.getByRole("region", { name: "The last 24 hours" })
    expect(await section.locator("svg.bars rect.bad").count()).toBeGreaterThan(5)
    expect(await section.innerText()).toContain("200 locations in 24 hours. 196 came more than 15 minutes after")
    expect(await section.getByRole("listitem").count()).toBe(2)
    await page.getByText("How to set up Phone with Overland").click()
    await inspect(page, "phone-sending")
  })

  it("without an app chosen the browser asks for one; a form sent past it gets an error that names the field", async () => {
    const { page, world } = at
    await at.as(await world.person())
    await page.goto(`${world.url}/portal/devices?phone=iphone`)
    await page.getByLabel("Name").fill("My phone")
    await page.evaluate("document.querySelectorAll('[name=format]').forEach((one) => (one.checked = false))")
    await page.evaluate("document.querySelectorAll('[required]').forEach((one) => one.removeAttribute('required'))")
    await page.getByRole("button", { name: "Add device" }).click()
    await page
      .getByRole("alert")
      .getByRole("link", { name: /^The app on it must be/ })
      .click()
    expect(new URL(page.url()).hash).toBe("#format")
  })
})
