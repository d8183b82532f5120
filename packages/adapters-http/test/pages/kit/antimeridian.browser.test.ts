import { createPlace, listPlaces, Place } from "@place-access/domain/places"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { describeBrowser } from "../../../../domain/test/support/chromium.js"
import { desk } from "../../support/desk.js"
import { phone } from "../../support/phone.js"
import type { Person, World } from "../../support/World.js"

// Tests of the map beside the antimeridian, the meridian of 180°. Taveuni, an island of Fiji, lies on both sides of it.

const LAT = -16.8

const place = (world: World, person: Person, label: string, lon: number, radiusM = 150) =>
  world.run(
    createPlace(person.account.id, {
      label: Place.Label.make(label),
      kind: "other",
      circle: { lat: LAT, lon, radiusM }
    })
  )

/** The names on the map of the reader's own places. A name is on the map only when its place is in sight. */
const names = (page: Page) => page.locator(".leaflet-names-pane .place-name").allTextContents()

const fields = async (page: Page) => ({
  lat: Number(await page.getByLabel("Latitude").inputValue()),
  lon: Number(await page.getByLabel("Longitude").inputValue())
})

/**
 * The middle of an element on the map: 0 at the left edge of the map, 1 at the right edge. `nth` counts the elements
 * that the selector finds.
 */
const acrossOf = async (page: Page, selector: string, nth = 0): Promise<number> => {
  const [map, box] = [await page.locator("#map").boundingBox(), await page.locator(selector).nth(nth).boundingBox()]
  if (map === null || box === null) throw new Error(`${selector} is not on the page`)
  return (box.x + box.width / 2 - map.x) / map.width
}

/** Drags the map to the left by `by` pixels, so that it shows what lies further east. */
const dragEast = async (page: Page, by: number): Promise<void> => {
  const box = await page.locator("#map").boundingBox()
  if (box === null) throw new Error("there is no map on the page")
  const [x, y] = [box.x + box.width / 2 + by / 2, box.y + box.height - 60]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x - by / 2, y, { steps: 4 })
  await page.mouse.move(x - by, y, { steps: 4 })
  await page.mouse.up()
}

describeBrowser("the map at the antimeridian", () => {
  const at = desk({ browser: { reducedMotion: "reduce" } })

  it("shows places on both sides of it side by side, and not a world apart [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    await place(world, person, "West", 179.9)
    await place(world, person, "East", -179.9)
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    await expect.poll(() => names(page)).toEqual(expect.arrayContaining(["West", "East"]))
    // The map shows the two places and little else: they are about 21 km apart, and 21 km take half of the map's width.
    const [one, other] = [await acrossOf(page, ".map path.place", 0), await acrossOf(page, ".map path.place", 1)]
    const [west, east] = [Math.min(one, other), Math.max(one, other)]
    expect(west).toBeGreaterThan(0)
    expect(east).toBeLessThan(1)
    expect(east - west).toBeGreaterThan(0.2)
    const isWestOnTheLeft = await page.evaluate<boolean>(`(() => {
      const leftOf = (name) =>
        [...document.querySelectorAll(".place-name")].find((one) => one.textContent === name).getBoundingClientRect().left
      return leftOf("West") < leftOf("East")
    })()`)
    expect(isWestOnTheLeft).toBe(true)
  })

  it("also shows a place on the other side of it that is near the newest location [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    await place(world, person, "West", 179.95)
    await (await phone(world, person)).at({ lat: LAT, lon: -179.95 }, [60_000])
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    await expect.poll(() => names(page)).toEqual(expect.arrayContaining(["West", "Your newest location"]))
    // The place is a few kilometres west of the newest location.
    const [west, newest] = [await acrossOf(page, ".map path.place"), await acrossOf(page, ".map path.newest")]
    expect(west).toBeGreaterThan(0)
    expect(newest).toBeLessThan(1)
    expect(newest - west).toBeGreaterThan(0.2)
  })

  it("a click on the other side of it places the pin there, with a longitude within -180 and 180 [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    await place(world, person, "West", 179.999)
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    const map = page.getByRole("region", { name: "Map" })
    const width = (await map.boundingBox())?.width ?? 0
    await map.click({ position: { x: width * 0.7, y: 150 } })
    const clicked = await fields(page)
    expect(clicked.lon).toBeGreaterThan(-180)
    expect(clicked.lon).toBeLessThan(-179.99)
    expect(await acrossOf(page, ".map .pin")).toBeCloseTo(0.7, 1)
    // The arrow keys move the pin back over the antimeridian.
    for (let i = 0; i < 10 && (await fields(page)).lon < 0; i++)
      await page.locator(".map .pin").press("Shift+ArrowLeft")
    expect((await fields(page)).lon).toBeGreaterThan(179)
    const back = await acrossOf(page, ".map .pin")
    expect(back).toBeGreaterThan(0.3)
    expect(back).toBeLessThan(0.7)
    await page.getByLabel("Name").fill("Home")
    const saved = await fields(page)
    await page.getByRole("button", { name: "Add place" }).click()
    await page.getByText("The place was created.").waitFor()
    const home = (await world.run(listPlaces(person.account.id))).find(({ label }) => label === "Home")
    expect(home?.circle).toMatchObject(saved)
  })

  it("a longitude of the other side that is typed moves the pin and not the map [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    const west = await place(world, person, "West", 179.999, 1_000)
    await at.as(person)
    await page.goto(`${world.url}/portal/places/${west.id}`)
    await page.locator(".map .pin").waitFor()
    await page.getByText("Enter by hand").click()
    const before = await acrossOf(page, ".map .pin")
    await page.getByLabel("Longitude").fill("-179.999")
    await page.getByLabel("Radius").focus()
    const after = await acrossOf(page, ".map .pin")
    expect(after).toBeGreaterThan(before)
    expect(after).toBeLessThan(1)
  })

  it("while the map is dragged over it, places of both sides are in sight [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    await place(world, person, "West", 179.85)
    await place(world, person, "East", -179.99)
    await (await phone(world, person)).at({ lat: LAT, lon: 179.6 }, [60_000])
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    await expect.poll(() => names(page)).toEqual(["West", "Your newest location"])
    await page.getByRole("region", { name: "Map" }).scrollIntoViewIfNeeded()
    const inSight = async () => {
      await dragEast(page, 100)
      return names(page)
    }
    await expect.poll(inSight, { timeout: 20_000 }).toEqual(expect.arrayContaining(["West", "East"]))
    // The map was dragged further east, so its middle is now beyond the antimeridian.
    await expect.poll(inSight, { timeout: 20_000 }).toEqual(["East"])
  })

  it("says in which direction the nearest town lies, also when it is on the other side [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    await place(world, person, "Reef", -179.9995)
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    // The nearest town, on an island of Fiji, lies west of the antimeridian.
    await expect.poll(() => page.locator(".map-far").textContent()).toMatch(/ km to the (north-|south-)?west$/)
  })
})
