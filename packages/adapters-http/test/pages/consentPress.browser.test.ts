import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { RedirectUri } from "@place-access/domain/apps"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { desk, type Desk } from "../support/desk.js"
import type { Person } from "../support/World.js"

const CURRENT = "location.place.current"
const LATEST = "location.latest.read"

const appOf = async ({ callback, world }: Pick<Desk, "callback" | "world">, owner: Person, more: object = {}) =>
  (await world.app(owner, { redirectUris: [RedirectUri.RedirectUri.make(callback)], ...more })).app

const servers: Array<Server> = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** Starts the web server of an app, and returns the redirect URI at this server. */
const callbackOf = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
}

/** Presses and releases the left mouse button in the middle of the button, without waiting for anything. */
const presser = async (page: Page, button: Locator) => {
  const { height, width, x, y } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await page.mouse.move(x + width / 2, y + height / 2)
  return async () => {
    await page.mouse.down()
    await page.mouse.up()
  }
}

describeBrowser("a press on Allow", () => {
  const at = desk()
  /** The addresses that were requested with POST. */
  const posted: Array<string> = []
  beforeAll(() => void at.context.on("request", (request) => request.method() === "POST" && posted.push(request.url())))
  beforeEach(() => void posted.splice(0))

  const REFUSED = 200
  const CALM = 600
  const PATIENT = { timeout: 10_000 }
  const dispatch = (page: Page, name: string) => page.evaluate(`dispatchEvent(new Event("${name}"))`)

  it.each(["Allow", "Renew"])(
    "%s by pointer counts only half a second after the page got the focus; by keyboard it counts at once [consent-15]",
    async (name) => {
      const { page, world } = at
      const person = await world.person()
      const app = await appOf(at, person, { declaredScopes: [CURRENT, LATEST] })
      const scopes = name === "Renew" ? [CURRENT, LATEST] : [CURRENT]
      if (name === "Renew") {
        const terms = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 20 } as const
        await world.run(createPurpose(person.account, app.id, { key: Purpose.PurposeKey.make("order"), terms }))
        await world.connect(person, app, { scopes })
      }
      await at.as(person)
      await page.goto(at.authorize(app, scopes.join(" ")))
      const button = page.getByRole("button", { name, exact: true })
      const press = await presser(page, button)
      await page.waitForTimeout(CALM)
      // A window of an attacker lies above the page, so the page has no focus. This window closes between the two
      // clicks of a double click, so the second click is on the page.
      await dispatch(page, "blur")
      await dispatch(page, "focus")
      expect(await button.getAttribute("aria-disabled")).toBe("true")
      await press()
      await page.waitForTimeout(REFUSED)
      expect(posted).toEqual([])
      await page.waitForTimeout(CALM)
      expect(await button.getAttribute("aria-disabled")).toBeNull()
      await dispatch(page, "blur")
      await dispatch(page, "focus")
      await button.press("Enter", { noWaitAfter: true })
      expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
    }
  )

  it("counts when the browser never says that the page has the focus, from the second press on [consent-15]", async () => {
    const { page, world } = at
    const person = await world.person()
    const app = await appOf(at, person)
    await at.as(person)
    await page.goto(at.authorize(app, CURRENT))
    const press = await presser(page, page.getByRole("button", { name: "Allow", exact: true }))
    await page.waitForTimeout(CALM)
    await dispatch(page, "blur")
    await press()
    await page.waitForTimeout(CALM)
    expect(posted).toEqual([])
    await press()
    expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
  })

  it("a second press while the app's page is slow sends nothing, and the page works after Back [consent-6]", async () => {
    const { page, world } = at
    let callbacks = 0
    let answer = (): void => undefined
    const callback = await callbackOf((_, response) => {
      answer = () => void response.setHeader("content-type", "text/html").end("<title>Slow</title>")
      callbacks += 1
      if (callbacks > 1) answer()
    })
    const person = await world.person()
    const app = await appOf({ callback, world }, person)
    await at.as(person)
    await page.goto(at.authorize(app, CURRENT, { redirect_uri: callback }))
    const press = await presser(page, page.getByRole("button", { name: "Allow", exact: true }))
    await page.waitForTimeout(CALM)
    await press()
    await expect.poll(() => posted.length, PATIENT).toBe(1)
    await page.waitForTimeout(REFUSED)
    await press()
    await page.waitForTimeout(REFUSED)
    expect(posted.length).toBe(1)
    answer()
    await expect.poll(() => page.title(), PATIENT).toBe("Slow")
    await page.goBack()
    await page.getByRole("button", { name: "Allow", exact: true }).click({ noWaitAfter: true })
    await expect.poll(() => page.title(), PATIENT).toBe("Slow")
    expect(posted.length).toBe(2)
  })
})

describeBrowser("the app behind the redirect URI [consent-13]", () => {
  const at = desk()

  it.each(["Allow", "Cancel"])("%s: the callback may redirect on to an app on the phone", async (button) => {
    const { page, world } = at
    const callback = await callbackOf((_, response) =>
      response.writeHead(302, { location: "com.example.app://done" }).end()
    )
    const person = await world.person()
    const app = await appOf({ world, callback }, person)
    await at.as(person)
    await page.goto(at.authorize(app, CURRENT, { redirect_uri: callback }))
    // No app of this scheme is installed here. The request shows that Chromium followed the redirect.
    const opened = page.waitForRequest((request) => request.url() === "com.example.app://done", { timeout: 5_000 })
    await page.getByRole("button", { name: button, exact: true }).click({ noWaitAfter: true })
    await opened
  })
})
