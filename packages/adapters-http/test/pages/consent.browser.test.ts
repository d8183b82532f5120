import { recordAccess } from "@place-access/domain/access-log"
import { type App, RedirectUri } from "@place-access/domain/apps"
import { ConnectionStore, listConnections } from "@place-access/domain/connection"
import { createPlace, listPlaces, Place } from "@place-access/domain/places"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { type Scope, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk, type Desk } from "../support/desk.js"
import { PASSWORD, type Person, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const VISITS = "location.visits.read"
const LATEST = "location.latest.read"
const HISTORY = "location.history.read"

const addPlace = (world: World, person: Person, label: string, kind: Place.PlaceKind = "home") =>
  world.run(
    createPlace(person.account.id, {
      label: Place.Label.make(label),
      kind,
      circle: { lat: 52.52, lon: 13.405, radiusM: 150 }
    })
  )

const addPurpose = (
  world: World,
  person: Person,
  app: App.App,
  key: string,
  description: string,
  scopes: ReadonlyArray<Scope.SensitiveScope> = [LATEST]
) =>
  world.run(
    createPurpose(person.account, app.id, {
      key: Purpose.PurposeKey.make(key),
      terms: { description, scopes, expectedDailyVolume: 20 }
    })
  )

/** An app with two purposes. Its owner has connected it for all the scopes that the app requested. */
const connected = async ({ callback, world }: Desk, scopes = [CURRENT, LATEST]) => {
  const person = await world.person()
  const { app } = await world.app(person, { redirectUris: [RedirectUri.RedirectUri.make(callback)] })
  await addPurpose(world, person, app, "order_ahead", "To have your coffee ready when you come through the door.")
  await addPurpose(world, person, app, "find_courier", "To send the courier to the right side of the street.")
  const home = await addPlace(world, person, "Home")
  await addPlace(world, person, "Office by the river", "work")
  await world.connect(person, app, {
    scopes,
    places: [home.id],
    earlier: [home.id],
    standardDays: "90",
    sensitiveDays: "7"
  })
  return { person, app, home }
}

const connectionOf = async (world: World, person: Person) => {
  const [connection] = await world.run(listConnections(person.account.id))
  if (connection === undefined) throw new Error("no connection")
  return connection
}

const use = async (world: World, person: Person, app: App.App, purpose: string | null, times: number) => {
  const { id: connectionId } = await connectionOf(world, person)
  for (let count = 0; count < times; count++) {
    await world.run(
      recordAccess({
        owner: { userId: person.account.id, appId: app.id, connectionId },
        endpoint: purpose === null ? "GET /v1/answers/current-place" : "GET /v1/locations/latest",
        purpose,
        status: 200,
        error: null,
        disclosed: purpose === null ? "that you were at Home" : "your latest location"
      })
    )
  }
}

describeBrowser("the consent page", () => {
  const at = desk()

  it("renewal: uses by purpose, what stays, one question, Renew as plain as Stop sharing", async () => {
    const { page, world } = at
    const { app, person } = await connected(at)
    await use(world, person, app, "order_ahead", 12)
    await use(world, person, app, "find_courier", 1)
    await use(world, person, app, null, 3)
    world.clock.advance(2 * Timestamp.DAY)
    const before = await connectionOf(world, person)
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${LATEST}`))
    await page.getByRole("heading", { name: "Let Coffee Finder go on using your exact location?" }).waitFor()
    await inspect(page, "renewal")
    const counts = await page.locator(".counts li").allInnerTexts()
    expect(counts.map((text) => text.replace(/\s+/g, " "))).toEqual([
      "12 times To have your coffee ready when you come through the door.",
      "1 time To send the courier to the right side of the street."
    ])
    const stays = await page.getByRole("region", { name: "What stays as it is" }).innerText()
    for (const text of ["See which of the places you share you are at now", "Home", "Ends 30 May 2026 at 12:00 UTC"]) {
      expect(stays).toContain(text)
    }
    expect(stays).not.toContain("Office")
    // On the renewal page, the user can choose only for how long the sensitive scopes stay.
    expect(await page.locator("input[type=checkbox]").count()).toBe(0)
    expect(await page.locator("input[type=radio][name=sensitive_days]").count()).toBe(4)
    expect(await page.locator("input[type=radio]").count()).toBe(4)
    const [stop, renew] = [
      page.getByRole("button", { name: "Stop sharing" }),
      page.getByRole("button", { name: "Renew" })
    ]
    const sizes = [await stop.boundingBox(), await renew.boundingBox()]
    expect([sizes[0]?.width, sizes[0]?.height, sizes[0]?.y]).toEqual([sizes[1]?.width, sizes[1]?.height, sizes[1]?.y])
    expect(await page.getByRole("link", { name: "See every request in your access log" }).getAttribute("href")).toBe(
      `/portal/access-log?app=${app.id}`
    )
    await page.getByLabel("90 days").check()
    await renew.click()
    expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
    const after = await connectionOf(world, person)
    expect(after).toEqual({
      ...before,
      sensitiveExpiresAt: Timestamp.plus(Timestamp.make(world.clock.now()), 90 * Timestamp.DAY),
      renewalGraceEndsAt: Timestamp.plus(Timestamp.make(world.clock.now()), 104 * Timestamp.DAY)
    })
    world.clock.advance(-2 * Timestamp.DAY)
  })

  it("renewal of a lapsed tier: Stop sharing ends the exact location and nothing else; the app hears access_denied", async () => {
    const { page, world } = at
    const { app, person } = await connected(at)
    world.clock.advance(10 * Timestamp.DAY)
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${LATEST}`))
    await inspect(page, "renewal-lapsed")
    await page.getByRole("button", { name: "Stop sharing" }).click()
    const back = await at.back()
    expect([back.get("error"), back.get("state"), back.get("code")]).toEqual([
      "access_denied",
      "state-of-the-app",
      null
    ])
    const connection = await connectionOf(world, person)
    expect([connection.live, connection.heldScopes]).toEqual([true, [CURRENT]])
    world.clock.advance(-10 * Timestamp.DAY)
  })

  it("renewal: a permission that stays and takes two lines is set apart from the next one", async () => {
    const { page } = at
    const scopes = [CURRENT, "location.rules.place", LATEST]
    const { app, person } = await connected(at, scopes)
    await at.as(person)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(at.authorize(app, scopes.join(" ")))
    const permissions = page.getByRole("region", { name: "What stays as it is" }).getByRole("listitem")
    const [first, second] = [await permissions.nth(0).boundingBox(), await permissions.nth(1).boundingBox()]
    expect((second?.y ?? 0) - (first?.y ?? 0) - (first?.height ?? 0)).toBeGreaterThan(4)
  })

  it("renewal: Enter on a choice presses what changes nothing [consent-8]", async () => {
    const { page, world } = at
    const { app, person } = await connected(at)
    const before = await connectionOf(world, person)
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${LATEST}`))
    await page.getByLabel("30 days").press("Enter")
    expect((await at.back()).get("error")).toBe("access_denied")
    expect(await connectionOf(world, person)).toEqual(before)
  })

  it("change: what is new and what goes is marked, earlier choices are filled in, dates are absolute", async () => {
    const { page, world } = at
    const { app, home, person } = await connected(at)
    await addPurpose(world, person, app, "show_trips", "To draw your trips on a map for you.", [HISTORY])
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${VISITS} ${HISTORY}`))
    await page.getByRole("heading", { name: "Change what Coffee Finder can do?" }).waitFor()
    await inspect(page, "change")
    const rows = page.getByRole("region", { name: "What the app can do" }).locator(".choice")
    expect((await rows.allInnerTexts()).map((text) => /\b(?:As now|New)\b/.exec(text)?.[0])).toEqual([
      "As now",
      "New",
      "New"
    ])
    const ticked = await Promise.all((await page.locator("input[name=scope]").all()).map((box) => box.isChecked()))
    expect(ticked).toEqual([true, false, false])
    const leaving = await page.getByText("No longer requested").locator("..").innerText()
    expect(leaving).toContain("See your latest exact location")
    expect(await page.locator(`#place-${home.id}`).isChecked()).toBe(true)
    expect(await page.locator(`#earlier-${home.id}`).isChecked()).toBe(true)
    // People see only the end date of the chosen duration. The text also contains the end dates of the other durations,
    // for screen readers.
    const region = page.getByRole("region", { name: "Until when" })
    const until = ((await region.textContent()) ?? "").replace(/\s+/g, " ")
    for (const text of [
      "At present the connection ends: 30 May 2026 at 12:00 UTC",
      "Ends 2 March 2026 at 12:00 UTC",
      "Ends 8 March 2026 at 12:00 UTC",
      "Ends 31 March 2026 at 12:00 UTC",
      "Ends 30 May 2026 at 12:00 UTC",
      "Until you disconnect the app"
    ]) {
      expect(until).toContain(text)
    }
    await page.getByLabel("See your visits to the places you share").check()
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
    expect((await connectionOf(world, person)).heldScopes).toEqual([CURRENT, VISITS])
  })

  it("two tabs of one app: both finish, with one connection", async () => {
    const { context, page, world } = at
    const person = await world.person()
    const { app } = await world.app(person, { redirectUris: [RedirectUri.RedirectUri.make(at.callback)] })
    await at.as(person)
    const other = await context.newPage()
    for (const tab of [page, other]) await tab.goto(at.authorize(app, CURRENT))
    const codes: Array<string | null> = []
    for (const tab of [page, other]) {
      await tab.getByRole("button", { name: "Allow", exact: true }).click()
      codes.push((await at.back(tab)).get("code"))
    }
    expect(codes.every((code) => code?.startsWith("pa_ac."))).toBe(true)
    expect(codes[0]).not.toBe(codes[1])
    expect((await world.run(listConnections(person.account.id))).length).toBe(1)
  })

  it("a renewal page that another tab made pointless is shown again as what it is now [consent-5]", async () => {
    const { context, page, world } = at
    const { app, person } = await connected(at)
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${LATEST}`))
    const other = await context.newPage()
    await other.goto(`${world.url}/portal/connections`)
    await other.getByRole("link", { name: "See details or disconnect" }).click()
    await other.getByText("Disconnect…").click()
    await other.getByRole("button", { name: "Disconnect Coffee Finder" }).click()
    await page.getByRole("button", { name: "Renew" }).click()
    await page.getByText("Something has changed since you opened this page.").waitFor()
    await page.getByRole("heading", { name: "Connect Coffee Finder?" }).waitFor()
  })

  it("the same form posted twice, by going back in the browser: one code", async () => {
    const { page, world } = at
    const person = await world.person()
    const { app } = await world.app(person, { redirectUris: [RedirectUri.RedirectUri.make(at.callback)] })
    await at.as(person)
    await page.goto(at.authorize(app, CURRENT))
    // Saves the form's fields, so that the test can post them again after the browser has left the page.
    const form = await page.evaluate<{ action: string; fields: ReadonlyArray<[string, string]> }>(`(() => {
      const form = document.querySelector("form")
      return { action: form.getAttribute("action"), fields: [...new FormData(form)] }
    })()`)
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    const first = (await at.back()).get("code")
    const repeated = await world.call(form.action, {
      method: "POST",
      headers: { cookie: person.cookie, origin: world.url, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams([...form.fields, ["decision", "allow"]])
    })
    expect(new URL(repeated.headers.get("location") ?? "").searchParams.get("code")).toBe(first)
  })

  it("account switch: signs out, and comes back to the same request with the other account", async () => {
    const { page, world } = at
    const owner = await world.person({ email: "owner-of-the-app@example.com" })
    const { app } = await world.app(owner, { redirectUris: [RedirectUri.RedirectUri.make(at.callback)] })
    const stranger = await world.person()
    await at.as(stranger)
    await page.goto(at.authorize(app, CURRENT))
    await page.getByText("This app is still being tested").waitFor()
    await inspect(page, "consent-refused")
    await page.getByRole("button", { name: "Use another account" }).click()
    await page.getByLabel("Email").fill("owner-of-the-app@example.com")
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByText("owner-of-the-app@example.com").waitFor()
    await page.getByRole("button", { name: "Use another account" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await page.getByLabel("Email").fill("owner-of-the-app@example.com")
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
    expect((await world.run(listConnections(stranger.account.id))).length).toBe(0)
  })

  it("the keyboard goes through the page from top to bottom, and reaches every question before the buttons", async () => {
    const { page } = at
    const { app, person } = await connected(at)
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${LATEST}`))
    const order: Array<{ readonly name: string; readonly y: number }> = []
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press("Tab")
      const focused = await page.evaluate<(typeof order)[number] | null>(`(() => {
        const one = document.activeElement
        return one === null || one === document.body
          ? null
          : {
              name: (one.labels?.[0] ?? one).textContent.trim(),
              y: one.getBoundingClientRect().y + window.scrollY
            }
      })()`)
      if (focused === null) break
      order.push(focused)
    }
    const names = order.map(({ name }) => name.replace(/\s+/g, " "))
    expect(names[0]).toBe("Skip to the content")
    expect(names.slice(-4)).toEqual(["30 days", "Not now", "Stop sharing", "Renew"])
    const below = order.slice(1).map(({ y }) => Math.round(y))
    expect(below).toEqual(below.toSorted((a, b) => a - b))
  })
})

describeBrowser("the consent page without script", () => {
  const at = desk({ browser: { javaScriptEnabled: false } })

  it("sign-in, mistake, choices, Allow: the whole way", async () => {
    const { page, world } = at
    const person = await world.person()
    const { app } = await world.app(person, { redirectUris: [RedirectUri.RedirectUri.make(at.callback)] })
    await addPlace(world, person, "Home")
    await page.goto(at.authorize(app, `${CURRENT} ${VISITS}`))
    await page.getByLabel("Email").fill(person.account.email)
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    for (const box of await page.locator("input[name=scope]").all()) await box.uncheck()
    await page.locator("input[name=place]").check()
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    await page.getByText("What the app can do: choose at least one, or cancel").first().waitFor()
    expect(await page.locator("input[name=place]").isChecked()).toBe(true)
    await page.getByLabel("See which of the places you share you are at now").check()
    await page.getByLabel("No end date").check()
    await page.getByRole("button", { name: "Allow", exact: true }).click()
    expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
    const connection = await connectionOf(world, person)
    const [home] = await world.run(listPlaces(person.account.id))
    expect([connection.heldScopes, connection.grantExpiresAt, connection.places.map(({ id }) => id)]).toEqual([
      [CURRENT],
      null,
      [home?.id]
    ])
  })

  it("renewal and account switch", async () => {
    const { page, world } = at
    const { app, person } = await connected(at)
    await at.as(person)
    await page.goto(at.authorize(app, `${CURRENT} ${LATEST}`))
    await page.getByRole("button", { name: "Use another account" }).click()
    await page.getByLabel("Email").fill(person.account.email)
    await page.getByLabel("Password").fill(PASSWORD)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByLabel("1 day", { exact: true }).check()
    await page.getByRole("button", { name: "Renew" }).click()
    expect((await at.back()).get("code")).toMatch(/^pa_ac\./)
    const { sensitiveExpiresAt } = await connectionOf(world, person)
    expect(sensitiveExpiresAt).toBe(world.clock.now() + Timestamp.DAY)
    const requests = await world.run(Effect.flatMap(ConnectionStore, (store) => store.listOfUser(person.account.id)))
    expect(requests.length).toBe(1)
  })
})
