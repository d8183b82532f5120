import { recordAccess } from "@place-access/domain/access-log"
import { chooseTimeZone } from "@place-access/domain/accounts"
import { listConnections } from "@place-access/domain/connection"
import { ingestFixes } from "@place-access/domain/fixes"
import { createPlace, type Geometry, Place } from "@place-access/domain/places"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { beforeAll, expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { fits, inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import type { Person } from "../support/World.js"

const HOME = { lat: 52.5005, lon: 13.4201 }
const WORK = { lat: 52.5203, lon: 13.3869 }
const CAFE = { lat: 52.5101, lon: 13.4002 }

/**
 * The instant at which a clock in Berlin shows the time `clock` on 1 March 2026. Berlin is then an hour ahead of UTC.
 */
const at = (clock: string): number => Date.parse(`2026-03-01T${clock}:00+01:00`)

/** Readings on the way from `from` to `to`, one each minute. They are near a straight line, up to 90 m beside it. */
const walk = (from: Geometry.Point, to: Geometry.Point, begin: number, minutes: number) =>
  Array.from({ length: minutes + 1 }, (_, index) => ({
    capturedAt: Timestamp.make(begin + index * Timestamp.MINUTE),
    lat:
      from.lat +
      ((to.lat - from.lat) * index) / minutes +
      Math.sin(index) * 0.0004 * Math.min(index, minutes - index, 2),
    lon: from.lon + ((to.lon - from.lon) * index) / minutes,
    accuracyM: 12
  }))

describeBrowser("today and the timeline", () => {
  const on = desk()
  let ada: Person

  beforeAll(async () => {
    const { world } = on
    ada = await world.person()
    await world.run(chooseTimeZone(ada.account.id, "Europe/Berlin"))
    const place = (label: string, kind: Place.PlaceKind, point: Geometry.Point) =>
      world.run(
        createPlace(ada.account.id, { label: Place.Label.make(label), kind, circle: { ...point, radiusM: 150 } })
      )
    const home = await place("Home", "home", HOME)
    await place("Office", "work", WORK)
    const device = await world.run(RuleSamples.device(ada.account.id))
    world.clock.set(at("18:30"))
    await world.run(
      ingestFixes(
        device,
        [
          ...walk(HOME, HOME, at("00:00") - 2 * Timestamp.HOUR, 600),
          ...walk(HOME, WORK, at("08:05"), 25),
          ...walk(WORK, WORK, at("08:31"), 200),
          ...walk(WORK, CAFE, at("12:00"), 12),
          ...walk(CAFE, CAFE, at("12:13"), 40),
          ...walk({ ...CAFE, lon: 13.404 }, HOME, at("17:30"), 20),
          ...walk(HOME, HOME, at("17:51"), 36)
        ],
        []
      )
    )
    const { app } = await world.app(ada)
    await world.connect(ada, app, { scopes: ["location.place.current"], places: [home.id], standardDays: "7" })
    const [connection] = await world.run(listConnections(ada.account.id))
    if (connection === undefined) throw new Error("no connection")
    const owner = { userId: ada.account.id, appId: app.id, connectionId: connection.id }
    const ask = (clock: number, disclosed: string) => {
      world.clock.set(clock)
      return world.run(
        recordAccess({ owner, endpoint: "GET /v1/location/place", purpose: null, status: 200, error: null, disclosed })
      )
    }
    for (let index = 0; index < 14; index++)
      await ask(at("09:28") + index * 70_000, "that you were at none of the places that it may ask about")
    for (let day = 1; day < 12; day++)
      for (let index = 0; index < day; index++) await ask(at("12:00") - day * Timestamp.DAY, "Home")
    await ask(at("18:00"), "that you are at Home")
    world.clock.set(at("18:30"))
  })

  it("today says where the person is and since when, in their zone, what the phone does and who asked [timeline-1]", async () => {
    const { page, world } = on
    await on.as(ada)
    await page.goto(world.url)
    const text = await page.locator("main").innerText()
    expect(text).toContain("Home\n\nSince today 17:49. By a location from 3 min ago.")
    expect(text).toContain("Sending")
    expect(text).toContain("15 entries today")
    expect(text).toContain("can ask until 8 March")
    await inspect(page, "today")
  })

  it("a day is stays, stops and ways on a map and as a list, with what apps saw [timeline-2]", async () => {
    const { page, world } = on
    await on.as(ada)
    await page.goto(`${world.url}/portal/timeline?day=2026-03-01`)
    const rows = await page.locator(".timeline > li").allInnerTexts()
    expect(rows.map((row) => row.replaceAll(/\s+/g, " "))).toEqual([
      expect.stringMatching(/^00:00 Home 8 h \d+ min, until 08:\d\d Since yesterday 22:00$/),
      expect.stringMatching(/^08:\d\d On the way \d+ min, \d\.\d km$/),
      expect.stringMatching(/^08:\d\d Office 3 h \d+ min, until 12:0\d$/),
      expect.stringMatching(/^12:0\d On the way/),
      // The phone stayed at one spot, and then sent nothing for hours.
      "12:12 A stop near Berlin 41 min, until 12:53 Make it a place",
      "12:53 Nothing known for 4 h 37 min",
      expect.stringMatching(/^17:30 On the way/),
      expect.stringMatching(/^17:\d\d Home \d+ min, still there$/)
    ])
    expect(await page.locator("aside").innerText()).toContain("14 × ")
    expect(await page.locator(".day .land").count()).toBeGreaterThan(0)
    expect(await page.locator(".day figcaption").innerText()).toBe("Near Berlin")
    await inspect(page, "timeline-day")
    await page.getByRole("link", { name: "The day before" }).click()
    expect(await page.locator(".timeline > li").allInnerTexts()).toHaveLength(2)
  })

  it("a long name leaves room for its total beside the day [timeline-2]", async () => {
    const { page, world } = on
    await on.as(ada)
    const { places } = (await ada.get("/v1/user/places")).json as {
      readonly places: ReadonlyArray<{ readonly id: string; readonly label: string }>
    }
    const { id = "" } = places.find(({ label }) => label === "Office") ?? {}
    for (const label of ["Wohngemeinschaft Schönhauser Allee, Hinterhaus", "W".repeat(80), "Office"]) {
      expect((await ada.send("PATCH", `/v1/user/places/${id}`, { label })).status).toBe(200)
      await page.goto(`${world.url}/portal/timeline?day=2026-03-01`)
      expect(await page.getByRole("region", { name: "Totals" }).innerText()).toContain(label)
      await fits(page, `timeline-${label.length}`)
    }
  })

  it("a row above the day leads to the days around it, and to none after today [timeline-2]", async () => {
    const { page, world } = on
    await on.as(ada)
    await page.goto(`${world.url}/portal/timeline`)
    const row = page.getByRole("navigation", { name: "Days around this one" }).getByRole("link")
    const days = async () => (await row.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim())
    const current = () => page.locator(".daylinks [aria-current]").innerText()
    expect(await days()).toEqual(["Mon 23", "Tue 24", "Wed 25", "Thu 26", "Fri 27", "Sat 28", "Sun 1"])
    expect(await current()).toContain("1")
    await row.filter({ hasText: "24" }).click()
    expect(new URL(page.url()).searchParams.get("day")).toBe("2026-02-24")
    expect(await days()).toEqual(["Sat 21", "Sun 22", "Mon 23", "Tue 24", "Wed 25", "Thu 26", "Fri 27"])
    expect(await current()).toContain("24")
  })

  it("a part of the day is one tap from the page that says what would go; of today, the parts that have begun [retention-choice-4]", async () => {
    const { page, world } = on
    await on.as(ada)
    const parts = page.locator("section", { has: page.locator("#erase") }).locator(".row a")
    world.clock.set(at("12:00"))
    await page.goto(`${world.url}/portal/timeline`)
    expect(await parts.allInnerTexts()).toEqual(["Until 12:00…"])
    world.clock.set(at("12:00") + 1)
    await page.reload()
    expect(await parts.allInnerTexts()).toEqual(["Until 12:00…", "12:00 to 18:00…"])
    world.clock.set(at("18:30"))
    await page.reload()
    expect(await parts.allInnerTexts()).toEqual(["Until 12:00…", "12:00 to 18:00…", "From 18:00…"])
    await page.getByRole("link", { name: "Delete a part of this day" }).click()
    await parts.filter({ hasText: "12:00 to 18:00" }).click()
    expect(await page.locator(".lead").innerText()).toContain("12:00 until")
    expect(await page.locator(".lead").innerText()).toContain("18:00")
    await inspect(page, "timeline-erase-part")
  })

  it("hours after the last location, nothing is said of now [timeline-4]", async () => {
    const { page, world } = on
    world.clock.set(at("22:30"))
    await on.as(ada)
    await page.goto(world.url)
    const text = await page.locator("main").innerText()
    expect(text).toContain("Where you were last")
    expect(text).toContain("From today 17:49 until today 18:27 at least. The last location is from 4 h 3 min ago")
    await page.goto(`${world.url}/portal/timeline?day=2026-03-01`)
    const rows = (await page.locator(".timeline > li").allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "))
    expect(rows.slice(-2)).toEqual(["17:49 Home 38 min, until 18:27 at least", "18:27 Nothing known for 4 h 3 min"])
    await page.getByRole("link", { name: "Home" }).click()
    expect(await page.locator("table").innerText()).toContain("Not known. The last location is from today 18:27")
    world.clock.set(at("18:30"))
  })

  it("a stretch of the day is deleted after a look at what would go, with its visits [retention-choice-4]", async () => {
    const { page, world } = on
    await on.as(ada)
    await page.goto(`${world.url}/portal/timeline?day=2026-03-01`)
    await page.getByLabel("From").fill("12:05")
    await page.getByLabel("Until").fill("12:00")
    await page.getByRole("button", { name: "Delete…" }).click()
    expect(await page.locator("main").innerText()).toContain("must be later than from")
    await page.getByLabel("From").fill("12:05")
    await page.getByLabel("Until").fill("17:40")
    await page.getByRole("button", { name: "Delete…" }).click()
    const text = await page.locator("main").innerText()
    expect(text).toContain("59 locations of this time are deleted for good")
    expect(text).toContain("No app asked in that time.")
    await inspect(page, "timeline-erase")
    await page.getByRole("button", { name: "Delete for good" }).click()
    const rows = (await page.locator(".timeline > li").allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "))
    expect(rows).toContain("12:05 You deleted 5 h 35 min")
    expect(rows.join(" ")).not.toContain("A stop")
    await inspect(page, "timeline-erased")
  })
})
