import { AccessLogStore } from "@place-access/domain/access-log"
import { ingestFixes } from "@place-access/domain/fixes"
import { listPlaces, Place } from "@place-access/domain/places"
import { AccessLogEntryId, AppId, ConnectionId, Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe("a suggested place [timeline-3]", () => {
  it("becomes a place with one tap, and is not suggested again", async () => {
    const person = await world.person()
    const device = await world.run(RuleSamples.device(person.account.id))
    const midnight = Date.UTC(2026, 1, 24)
    const nights = [0, 1, 2].flatMap((night) =>
      Array.from({ length: 13 }, (_, index) => ({
        capturedAt: Timestamp.make(midnight + night * Timestamp.DAY + (index * Timestamp.HOUR) / 2),
        lat: 52.5005,
        lon: 13.4201,
        accuracyM: 12
      }))
    )
    const away = [0, 1, 2].map((day) => ({
      capturedAt: Timestamp.make(midnight + day * Timestamp.DAY + 12 * Timestamp.HOUR),
      lat: 52.6,
      lon: 13.42,
      accuracyM: 12
    }))
    await world.run(ingestFixes(device, [...nights, ...away], []))
    const browser = await signedIn(world, person.account.email)
    const page = await browser.get("/")
    expect(page.text).toMatch(
      /You spent 3 nights at one spot \(last there <time [^>]*>[^<]+<\/time>\)\. Call it Home\?/
    )
    const made = await browser.submit(page, "/portal/places")
    expect(made.headers.get("location")).toBe("/portal/places?done=place-created")
    const places = await world.run(listPlaces(person.account.id))
    expect(places.map(({ circle, kind, label }) => [label, kind, circle])).toEqual([
      ["Home", "home", { lat: 52.5005, lon: 13.4201, radiusM: 150 }]
    ])
    expect((await browser.get("/")).text).not.toContain("Call it Home")
  })
})

describe("a device that is silent [devices-13, devices-15]", () => {
  it.each([
    ["json", true],
    ["browser", false]
  ])("of format %s is told after a day: %s", async (format, isTold) => {
    const person = await world.person()
    const made = await person.send("POST", "/v1/user/devices", { name: "Mine", format })
    const { token } = made.json as { readonly token: string }
    const location = { captured_at: new Date(world.clock.now()).toISOString(), lat: 52.5, lon: 13.4, accuracy_m: 9 }
    const sent = await world.call("/v1/phone/locations", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ locations: [location] })
    })
    expect(sent.status).toBe(200)
    world.clock.advance(25 * Timestamp.HOUR)
    const page = (await (await signedIn(world, person.account.email)).get("/")).text
    expect([page.includes("Mine is silent"), page.includes("battery saver")]).toEqual([isTold, isTold])
  })
})

it("a new phone that has sent nothing has an amber badge, as in the list of phones: nothing is wrong yet [devices-13]", async () => {
  const person = await world.person()
  await person.send("POST", "/v1/user/devices", { name: "Mine", format: "json" })
  const browser = await signedIn(world, person.account.email)
  for (const page of ["/", "/portal/devices"]) {
    const { text } = await browser.get(page)
    expect(/class="badge (\w+)"/.exec(text)?.[1], page).toBe("warn")
  }
})

describe("a pause [connection-4, timeline-1]", () => {
  it("is shown on the first page and in the list of apps, until it ends: nobody wonders why an app does nothing", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    await world.connect(person, app, { scopes: ["location.rules.zone"] })
    const browser = await signedIn(world, person.account.email)
    expect((await browser.get("/")).text).not.toContain("paused")
    const list = await browser.get("/portal/connections")
    await browser.submit(list, "/portal/connections/pause", { for: "day" })
    const today = (await browser.get("/")).text
    expect(today).toContain("Your app is paused")
    expect(today).toContain(`${app.name}</a>: Paused until`)
    expect((await browser.get("/portal/connections")).text).toContain("Paused until")
    const paused = await browser.get("/portal/connections")
    await browser.submit(paused, "/portal/connections/resume")
    expect((await browser.get("/")).text).not.toContain("paused")
  })

  it.each([
    ["en", "After the pause", "can ask about that time too"],
    ["de", "Nach der Pause", "auch nach dieser Zeit fragen"]
  ])("the buttons say beforehand that the app can ask about this time afterwards: %s", async (language, ...parts) => {
    const person = await world.person()
    const { app } = await world.app(person)
    await world.connect(person, app, { scopes: ["location.zone.verify"] })
    const { connections } = (await person.get("/v1/user/connections")).json as { connections: [{ id: string }] }
    const browser = await signedIn(world, person.account.email)
    for (const path of ["/portal/connections", `/portal/connections/${connections[0].id}`]) {
      const { text } = await browser.get(path, { "accept-language": language })
      for (const part of parts) expect(text).toContain(part)
    }
  })
})

it("a moment of today or tomorrow stands in no sentence that says “on” or “at” before it [languages-1]", async () => {
  const person = await world.person()
  await person.send("PUT", "/v1/user/time-zone", { time_zone: "Europe/Berlin" })
  const { app } = await world.app(person)
  await world.connect(person, app, { scopes: ["location.place.current"] })
  const { connections } = (await person.get("/v1/user/connections")).json as { connections: [{ id: string }] }
  const path = `/connections/${connections[0].id}`
  await person.send("PATCH", `/v1/user${path}`, { standard_days: 1 })
  const home = await world.run(RuleSamples.place(person.account.id, { label: Place.Label.make("Home") }))
  const device = await world.run(RuleSamples.device(person.account.id))
  const fix = { ...home.circle, capturedAt: Timestamp.make(world.clock.now()), accuracyM: 9 }
  await world.run(ingestFixes(device, [fix], []))
  world.clock.advance(2 * Timestamp.HOUR)
  const browser = await signedIn(world, person.account.email)
  const change = authorizePath(app, { scope: "location.place.current location.rules.place" })
  const seen = new Array<string>()
  for (const one of ["/", `/portal${path}/history`, change]) {
    const { text } = await browser.get(one)
    seen.push(...(text.match(/\w+:? <time [^>]*>(?:today|tomorrow|yesterday)/g) ?? []))
  }
  expect(seen.filter((words) => /^(?:on|at) /i.test(words))).toEqual([])
})

describe("the counts of the access log on the first page and on the page of a day [timeline-1, timeline-2]", () => {
  it.each([
    ["en", 2, "Who asked or was told", "2 entries today", "2 entries in all"],
    ["en", 1, "Who asked or was told", "1 entry today", "1 entry in all"],
    ["de", 2, "Wer gefragt hat oder benachrichtigt wurde", "heute 2 Einträge", "Insgesamt 2 Einträge"],
    ["de", 1, "Wer gefragt hat oder benachrichtigt wurde", "heute 1 Eintrag", "Insgesamt 1 Eintrag"]
  ])("in %s, %d entries are called entries: some are notifications", async (language, count, heading, today, all) => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    await browser.submit(await browser.get("/portal/settings/language"), "/portal/settings/language", { language })
    const at = Timestamp.make(world.clock.now())
    const entries = ["webhook place.enter", "GET /developer/apps/{app_id}/rules"].slice(0, count).map((endpoint) => ({
      userId: person.account.id,
      id: AccessLogEntryId.make(`log_${person.account.id}_${endpoint.length}`),
      at,
      appId: AppId.make("app_1"),
      connectionId: ConnectionId.make("con_1"),
      endpoint,
      purpose: null,
      status: 200,
      times: 1,
      error: null,
      disclosed: "arrived at Home"
    }))
    await world.run(Effect.flatMap(AccessLogStore, (store) => Effect.forEach(entries, store.record)))
    const first = (await browser.get("/")).text
    expect([first.includes(`>${heading}<`), first.includes(`>${today}<`)]).toEqual([true, true])
    expect((await browser.get("/portal/timeline")).text).toContain(all)
  })
})

it.each([
  ["en", "Apps learn only what you allow."],
  ["de", "Apps erfahren nur, was Sie erlauben."]
])(
  "in %s, a new person reads that the person decides what apps learn: some apps learn more than places",
  async (language, words) => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    await browser.submit(await browser.get("/portal/settings/language"), "/portal/settings/language", { language })
    for (const page of ["/", "/portal/places"]) expect((await browser.get(page)).text, page).toContain(words)
  }
)
