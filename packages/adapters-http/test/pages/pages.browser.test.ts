import { RedirectUri } from "@place-access/domain/apps"
import { ConsentRequest } from "@place-access/domain/connection"
import { createPlace, type Place } from "@place-access/domain/places"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import { describeBrowser, inspect, launchBrowser, signInAs } from "../support/browser.js"
import { bearer, PASSWORD, type Person, startWorld, type World } from "../support/World.js"

describeBrowser("pages", () => {
  let world: World
  let browser: Browser
  let context: BrowserContext
  let page: Page
  /** An app's own web server, on another origin; its callback sends the user on to a third one. */
  let app: Server
  let elsewhere: Server
  const faults: Array<string> = []

  const listen = (server: Server): Promise<string> =>
    new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
    })
  let callback: string
  let final: string

  beforeAll(async () => {
    world = await startWorld()
    browser = await launchBrowser()
    elsewhere = createServer((_, response) => response.end("<title>Welcome back</title>"))
    final = await listen(elsewhere)
    app = createServer((request, response) => {
      const { search } = new URL(request.url ?? "/", "http://app.invalid")
      response.writeHead(302, { location: `${final}/welcome${search}` }).end()
    })
    callback = `${await listen(app)}/callback`
  })
  afterAll(async () => {
    await browser.close()
    await world.close()
    app.close()
    elsewhere.close()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    faults.length = 0
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("Failed to load resource")) faults.push(message.text())
    })
    page.on("pageerror", (error) => faults.push(String(error)))
  })
  afterEach(async () => {
    await context.close()
    // Content-Security-Policy reports what it blocks here.
    expect(faults).toEqual([])
  })

  const as = async (person: Person) => signInAs(context, world.url, person)
  const home = { label: "Home", kind: "home", circle: { lat: 52.52, lon: 13.405, radiusM: 150 } }
  const addPlace = (person: Person, place: { readonly label: string; readonly kind: string }) =>
    world.run(createPlace(person.account.id, { ...home, ...place } as Place.Draft))

  const authorize = (id: string, scope: string, more: Record<string, string> = {}) =>
    `${world.url}/authorize?${new URLSearchParams({
      client_id: id,
      redirect_uri: callback,
      scope,
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
      state: "state-of-the-app",
      ...more
    }).toString()}`

  it("front page, signed out and in", async () => {
    await page.goto(world.url)
    await inspect(page, "home-stranger")
    await as(await world.person())
    await page.reload()
    await inspect(page, "home")
  })

  it("sign-up, sign-out, sign-in: fields Email and Password, button Sign in", async () => {
    await page.goto(`${world.url}/sign-up`)
    await inspect(page, "sign-up")
    await page.getByLabel("Email").fill("grace@example.com")
    await page.getByLabel("Password").fill("short")
    // How long history is kept is asked here; what was chosen survives the page with the problem.
    expect(await page.getByLabel("Keep my history").inputValue()).toBe("forever")
    await page.getByLabel("Keep my history").selectOption("30 days")
    await page.getByRole("button", { name: "Create account" }).click()
    await inspect(page, "sign-up-problem")
    await page.getByRole("link", { name: "Password must be at least 10 characters" }).click()
    expect(await page.getByLabel("Password").evaluate((field) => field.matches(":focus"))).toBe(true)
    expect(await page.getByLabel("Email").inputValue()).toBe("grace@example.com")
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Create account" }).click()
    await page.getByText("grace@example.com").waitFor()
    await page.goto(`${world.url}/portal/settings`)
    expect(await page.getByLabel("30 days").isChecked()).toBe(true)

    await page.getByRole("button", { name: "Sign out" }).click()
    await page.goto(world.url)
    await page.getByRole("link", { name: "Sign in" }).click()
    await inspect(page, "sign-in")
    await page.getByLabel("Email").fill("GRACE@example.com")
    await page.getByLabel("Password").fill("wrong password")
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByText("Email or password is wrong.").waitFor()
    await inspect(page, "sign-in-refused")
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByText("grace@example.com").waitFor()
  })

  it("consent: through sign-in to the page, choices, Allow, back to the app and where it leads", async () => {
    const person = await world.person()
    const made = await world.app(person, { redirectUris: [RedirectUri.RedirectUri.make(callback)] })
    await addPlace(person, { label: "Home", kind: "home" })
    await addPlace(person, { label: "Office by the river", kind: "work" })
    await world.run(
      createPurpose(person.account, made.app.id, {
        key: Purpose.Key.make("order_ahead"),
        terms: {
          description: "To have your coffee ready when you come through the door.",
          scopes: ["location.latest.read"],
          expectedDailyVolume: 20
        }
      })
    )
    await page.goto(authorize(made.app.id, "location.rules.place location.place.current location.latest.read"))
    await page.getByLabel("Email").fill(person.account.email)
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()

    await page.getByRole("heading", { name: "Connect Coffee Finder?" }).waitFor()
    await inspect(page, "consent")
    const text = await page.locator("main").innerText()
    expect(text).toContain("To have your coffee ready when you come through the door.")
    expect(text).toContain("No phone has sent your location yet.")
    expect(text).toContain("Ends 31 March 2026 at 12:00 UTC")
    expect(text).toContain("Sandbox: only its developer can connect it")
    expect(await page.getByLabel("Be told when you arrive").isChecked()).toBe(true)
    expect(await page.getByLabel("See your latest exact location").isChecked()).toBe(false)
    await page.locator(`input[name="place"]`).and(page.getByLabel("Home")).check()
    await page.getByLabel("7 days").first().check()
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    await page.waitForURL((url) => url.href.startsWith(`${final}/welcome`))
    const back = new URL(page.url()).searchParams
    expect(back.get("state")).toBe("state-of-the-app")
    expect(back.get("code")).toMatch(/^pa_ac\./)

    await page.goto(`${world.url}/portal/connections`)
    await page.getByText("Coffee Finder").first().waitFor()
    await inspect(page, "connections")
    await page.getByRole("link", { name: "See details or disconnect" }).click()
    await inspect(page, "connection")
    await page.getByLabel("Office by the river").first().check()
    await page.getByRole("button", { name: "Save places" }).click()
    await page.getByText("The places that the app may ask about were changed.").waitFor()
    await page.getByRole("button", { name: "Disconnect Coffee Finder" }).click()
    await page.getByText("The app was disconnected.").waitFor()
    await inspect(page, "connections-ended")
  })

  it("consent: nothing ticked is said beside the field and keeps the other choices; Cancel goes back with access_denied", async () => {
    const person = await world.person()
    const made = await world.app(person, { redirectUris: [RedirectUri.RedirectUri.make(callback)] })
    await addPlace(person, { label: "Home", kind: "home" })
    await as(person)
    await page.goto(authorize(made.app.id, "location.rules.place", { external_user_id: "user 5" }))
    await page.getByLabel("Be told when you arrive").uncheck()
    await page.locator(`input[name="place"]`).and(page.getByLabel("Home")).check()
    await page.getByLabel("90 days").first().check()
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    await page.getByText("There is a problem").waitFor()
    await inspect(page, "consent-problem")
    expect(await page.locator(`input[name="place"]`).and(page.getByLabel("Home")).isChecked()).toBe(true)
    expect(await page.getByLabel("90 days").first().isChecked()).toBe(true)
    expect(await page.getByLabel("Be told when you arrive").isChecked()).toBe(false)
    await page.getByRole("button", { name: "Cancel", exact: true }).click()
    await page.waitForURL((url) => url.href.startsWith(`${final}/welcome`))
    const back = new URL(page.url()).searchParams
    expect([back.get("error"), back.get("state"), back.get("code")]).toEqual([
      "access_denied",
      "state-of-the-app",
      null
    ])
  })

  it("consent: what cannot be decided says why", async () => {
    const owner = await world.person()
    const made = await world.app(owner, { redirectUris: [RedirectUri.RedirectUri.make(callback)] })
    await as(await world.person())
    await page.goto(authorize(made.app.id, "location.rules.place"))
    await page.getByText("This app is still being tested").waitFor()
    await inspect(page, "consent-sandbox")
    await page.goto(authorize(made.app.id, "location.rules.place", { redirect_uri: "https://evil.example/" }))
    await page.getByText("This link does not work").waitFor()
    await inspect(page, "consent-broken-link")
    await context.clearCookies()
    await as(owner)
    await page.goto(authorize(made.app.id, "location.rules.place"))
    world.clock.advance(ConsentRequest.LIFETIME)
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    await page.getByText("This page is too old").waitFor()
    world.clock.advance(-ConsentRequest.LIFETIME)
  })

  it("places: add with a mistake, mend it, change, archive", async () => {
    await as(await world.person())
    await page.goto(`${world.url}/portal/places`)
    await inspect(page, "places-empty")
    await page.getByLabel("Name").fill("Café Zoë")
    await page.getByLabel("Kind").selectOption("restaurant")
    await page.getByLabel("Latitude").fill("91")
    await page.getByLabel("Longitude").fill("13,4095")
    await page.getByLabel("Radius").fill("20")
    await page.getByRole("button", { name: "Add place" }).click()
    await page.getByText("There is a problem").waitFor()
    await inspect(page, "places-problem")
    expect(await page.getByLabel("Kind").inputValue()).toBe("restaurant")
    await page.getByLabel("Latitude").fill("52.5208")
    await page.getByLabel("Radius").fill("150")
    await page.getByRole("button", { name: "Add place" }).click()
    await page.getByText("52.5208, 13.4095").waitFor()
    await inspect(page, "places")
    await page.getByRole("link", { name: "Change" }).click()
    await inspect(page, "place")
    await page.getByLabel("Name").fill("Zoë’s")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("The place was changed.").waitFor()
    await page.getByText("Archive Zoë’s").first().click()
    await page.getByRole("button", { name: "Archive Zoë’s" }).click()
    await page.getByText("The place was archived.").waitFor()
    await inspect(page, "places-archived")
  })

  it("devices: the token is shown once, with a line to paste and a code to scan; remove", async () => {
    await as(await world.person())
    await page.goto(`${world.url}/portal/devices`)
    await inspect(page, "devices-empty")
    await page.getByLabel("Name").fill("My phone")
    await page.getByLabel("A program of your own").check()
    await page.getByRole("button", { name: "Add device" }).click()
    const token = await page.getByTestId("device-token").innerText()
    expect(token).toMatch(/^pa_dv\./)
    expect(await page.locator("pre").innerText()).toContain(`Authorization: Bearer ${token}`)
    expect(await page.locator(".qr svg").count()).toBe(1)
    await inspect(page, "device-set-up")
    await page.getByRole("link", { name: "I have set it up" }).click()
    expect(await page.content()).not.toContain(token)
    await inspect(page, "devices")
    await page.getByText("Remove My phone").first().click()
    await page.getByRole("button", { name: "Remove My phone" }).click()
    await page.getByText("The device was removed.").waitFor()
  })

  it("access log: newest first, filtered by app and day", async () => {
    const person = await world.person()
    const made = await world.app(person)
    const tokens = await world.connect(person, made.app, { scopes: ["location.place.current"] })
    await world.call("/v1/me", bearer(tokens.accessToken))
    world.clock.advance(3_600_000)
    await world.call("/v1/me", bearer(tokens.accessToken))
    await as(person)
    await page.goto(`${world.url}/portal/access-log`)
    await inspect(page, "access-log")
    const rows = page.locator("tbody tr")
    expect(await rows.count()).toBe(2)
    expect(await rows.first().innerText()).toContain("13:00:00 UTC")
    expect(await rows.first().innerText()).toContain("invalid_token")
    await page.getByLabel("From").fill("2026-03-02")
    await page.getByRole("button", { name: "Show", exact: true }).click()
    await page.getByText("No app has asked anything here.").waitFor()
    await inspect(page, "access-log-empty")
    world.clock.advance(-3_600_000)
  })

  it("developer: create an app, register redirect URIs, a purpose, an endpoint, test it, read the log", async () => {
    await as(await world.person())
    await page.goto(`${world.url}/developer`)
    await inspect(page, "developer-empty")
    await page.getByRole("link", { name: "Create an app" }).click()
    await inspect(page, "developer-new")
    await page.getByLabel("Name").fill("Coffee Finder")
    await page.getByLabel("Description").fill("Has your coffee ready when you arrive.")
    await page.getByLabel("location.latest.read").check()
    await page.getByRole("button", { name: "Create app" }).click()
    await page.getByText("The app was made.").waitFor()
    await inspect(page, "developer-app-new")

    await page.getByLabel("Redirect URIs").fill("https://coffee.example/callback\nhttp://evil.example/")
    await page.getByRole("button", { name: "Register and issue a secret" }).click()
    await page.getByRole("link", { name: /Redirect URIs in line 2 must be/ }).waitFor()
    await page.getByLabel("Redirect URIs").fill("https://coffee.example/callback")
    await page.getByRole("button", { name: "Register and issue a secret" }).click()
    const secret = await page.getByTestId("client-secret").innerText()
    expect(secret).toMatch(/^pa_cs_/)
    await inspect(page, "developer-secret")
    await page.getByRole("link", { name: "I have kept it" }).click()
    expect(await page.content()).not.toContain(secret)
    const address = await page.getByLabel("Address to copy").inputValue()
    expect(new URL(address).searchParams.get("redirect_uri")).toBe("https://coffee.example/callback")

    await page.getByText("Add a purpose").click()
    await page.getByLabel("Key").fill("order_ahead")
    await page.locator("#purpose_description").fill("To have it ready.")
    await page.locator("[id='purpose_scopes-location.latest.read']").check()
    await page.getByRole("button", { name: "Add purpose" }).click()
    await page.getByText("The purpose was made.").waitFor()
    await inspect(page, "developer-app")

    await page.getByRole("link", { name: "Webhooks" }).click()
    await inspect(page, "webhooks-empty")
    await page.getByLabel("Address").fill("http://coffee.example/hooks")
    await page.getByRole("button", { name: "Add endpoint" }).click()
    await page.getByText("There is a problem").waitFor()
    await page.getByLabel("Address").fill("https://coffee.example/hooks")
    await page.getByRole("button", { name: "Add endpoint" }).click()
    expect(await page.getByTestId("signing-secret").innerText()).toMatch(/^whsec_/)
    await inspect(page, "webhook-secret")
    await page.getByRole("link", { name: "I have kept it" }).click()
    await inspect(page, "webhooks")
    await page.getByRole("button", { name: "Send a test" }).click()
    await page.getByText("The test was not delivered.").waitFor()
    await world.run(
      Effect.flatMap(MemoryWebhookSender.Receivers, (receivers) =>
        receivers.script("https://coffee.example/hooks", MemoryWebhookSender.answers(200))
      )
    )
    await page.getByRole("button", { name: "Send a test" }).click()
    await page.getByText("The test was delivered.").waitFor()
    await inspect(page, "webhooks-tested")
    await page.getByRole("link", { name: "Change https://coffee.example/hooks" }).click()
    await page.getByLabel("Address").fill("http://coffee.example/moved")
    await page.getByRole("checkbox", { name: "places.changed" }).check()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("link", { name: "Address must begin with https://" }).click()
    expect(await page.evaluate("document.activeElement.id")).toBe("url")
    expect(await page.getByLabel("Address").inputValue()).toBe("http://coffee.example/moved")
    await inspect(page, "webhook-change-refused")
    await page.getByLabel("Address").fill("https://coffee.example/moved")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("The endpoint was changed.").waitFor()
    await page.getByRole("heading", { name: "https://coffee.example/moved" }).waitFor()
    expect(await page.locator("dd", { hasText: /^places\.changed$/ }).count()).toBe(1)
    await page.getByText("New signing secret").click()
    await page.getByRole("button", { name: "Issue a new secret" }).click()
    await page.getByTestId("signing-secret").waitFor()
    await page.getByRole("link", { name: "I have kept it" }).click()
    await page.getByRole("link", { name: "Delivery log" }).click()
    expect(await page.locator("tbody tr").count()).toBe(2)
    await inspect(page, "deliveries")
    await page.locator("tbody a").first().click()
    await inspect(page, "delivery")
    await page.getByRole("link", { name: "Webhooks" }).click()
    await page.getByText("Remove this endpoint").click()
    await page.getByRole("button", { name: "Remove endpoint" }).click()
    await page.getByText("The endpoint was removed.").waitFor()
  })

  it("what is not there is said in words, in the dark too", async () => {
    await page.emulateMedia({ colorScheme: "dark" })
    await page.goto(`${world.url}/nowhere`)
    await inspect(page, "not-found-dark")
    const person = await world.person()
    const made = await world.app(person, { redirectUris: [RedirectUri.RedirectUri.make(callback)] })
    await addPlace(person, { label: "Home", kind: "home" })
    await as(person)
    await page.goto(authorize(made.app.id, "location.rules.place"))
    await inspect(page, "consent-dark")
    await page.goto(`${world.url}/portal/places`)
    await inspect(page, "places-dark")
  })
})
