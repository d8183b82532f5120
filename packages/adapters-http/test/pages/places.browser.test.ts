import { App } from "@place-access/domain/apps"
import { createPlace, listPlaces, Place } from "@place-access/domain/places"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { ServiceOptions } from "@place-access/adapters-http/HttpOptions"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import { phone } from "../support/phone.js"
import type { Person, World } from "../support/World.js"

const place = (world: World, person: Person, label: string, lat = 52.52, lon = 13.405) =>
  world.run(
    createPlace(person.account.id, { label: Place.Label.make(label), kind: "home", circle: { lat, lon, radiusM: 150 } })
  )

/** A PNG of one grey pixel. */
const TILE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGO8AgAAyQDHhO/cFQAAAABJRU5ErkJggg==",
  "base64"
)

const circles = (page: Page) => page.locator(".map path.place")

describeBrowser("places on a map", () => {
  const options: { -readonly [Key in keyof ServiceOptions]?: ServiceOptions[Key] } = {}
  const requests: Array<{ readonly url: string; readonly referer: string | undefined }> = []
  let tiles: Server
  beforeAll(async () => {
    tiles = createServer((request, response) => {
      requests.push({ url: request.url ?? "", referer: request.headers.referer })
      response.writeHead(200, { "content-type": "image/png" }).end(TILE)
    })
    await new Promise<void>((resolve) => tiles.listen(0, "127.0.0.1", resolve))
    options.tileUrl = `http://127.0.0.1:${(tiles.address() as AddressInfo).port}/{z}/{x}/{y}.png`
  })
  const at = desk({
    options,
    browser: { geolocation: { latitude: 48.2082, longitude: 16.3738, accuracy: 12 }, permissions: ["geolocation"] }
  })
  afterAll(() => void tiles.close())

  it("a card shows where the place is, whom it is shared with and the last visit [places-5]", async () => {
    const { page, world } = at
    const person = await world.person()
    const home = await place(world, person, "Home")
    await place(world, person, "Cabin", 61.5, 9.2)
    const { app } = await world.app(person, { name: App.AppName.make("Coffee") })
    await world.connect(person, app, { scopes: ["location.place.current"], places: [home.id] })
    const device = await phone(world, person)
    for (let minutes = 0; minutes <= 30; minutes += 5) {
      await device.at({ lat: 52.52, lon: 13.405 }, [0])
      world.clock.advance(5 * 60_000)
    }
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    const card = (name: string) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) })
    expect(await card("Home").locator("svg.mini").count()).toBe(1)
    const text = await card("Home").innerText()
    expect(text).toMatch(/Shared with\s+Coffee/)
    expect(text).toMatch(/Last there\s+Since 1 March 2026 at 12:00 UTC/)
    expect(text).toMatch(/Near\s+Berlin/)
    expect(await card("Cabin").innerText()).toMatch(/Shared with\s+No app\s+Last there\s+No visit yet/)
    await inspect(page, "places-cards")
    await page.emulateMedia({ colorScheme: "dark" })
    await inspect(page, "places-cards-dark")
    await card("Home").getByRole("link", { name: "Coffee" }).click()
    await page.getByRole("heading", { name: "Coffee" }).waitFor()
  })

  it("the map does not move by itself for people who asked for less motion (WCAG 2.3.3)", async () => {
    const { page, world } = at
    await at.as(await world.person())
    const fades = async (reducedMotion: "reduce" | "no-preference") => {
      await page.emulateMedia({ reducedMotion })
      await page.goto(`${world.url}/portal/places`)
      await page.getByRole("region", { name: "Map" }).waitFor()
      return page.locator("#map.leaflet-fade-anim").count()
    }
    expect([await fades("no-preference"), await fades("reduce")]).toEqual([1, 0])
    // An arrow key must move the map at once, without an animation.
    await page.locator("#map").press("ArrowRight")
    expect(await page.locator("#map .leaflet-pan-anim").count()).toBe(0)
  })

  it("a click on the map fills the centre in and draws the circle; names of places are text", async () => {
    const { page, world } = at
    const person = await world.person()
    await place(world, person, "<img src=x onerror=alert(1)>")
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    const map = page.getByRole("region", { name: "Map" })
    await map.waitFor()
    await page.locator(".leaflet-tile-loaded").first().waitFor()
    expect(await map.getByText("<img src=x onerror=alert(1)>").count()).toBe(1)
    expect(await circles(page).count()).toBe(1)
    await map.scrollIntoViewIfNeeded()
    const box = await map.boundingBox()
    await map.click({ position: { x: (box?.width ?? 0) / 2 + 60, y: (box?.height ?? 0) / 2 } })
    expect(await circles(page).count()).toBe(2)
    const [lat, lon] = [await page.getByLabel("Latitude").inputValue(), await page.getByLabel("Longitude").inputValue()]
    expect(Math.abs(Number(lat) - 52.52)).toBeLessThan(0.01)
    expect(Number(lon)).toBeGreaterThan(13.405)
    const drawn = () =>
      page
        .locator(".map path.chosen")
        .boundingBox()
        .then((box) => box?.width ?? 0)
    const small = await drawn()
    await page.getByLabel("Radius").fill("300")
    expect(Math.round((await drawn()) / small)).toBe(2)
    await page.getByLabel("Name").fill("Café Zoë")
    // Zooming and moving remove tiles from the map, which must work under the page's Content-Security-Policy.
    for (const name of ["Zoom in", "Zoom in", "Zoom out"]) await page.getByRole("button", { name }).click()
    await inspect(page, "places-map")
    await page.getByRole("button", { name: "Add place" }).click()
    await page.getByText("The place was created.").waitFor()
    const made = (await world.run(listPlaces(person.account.id))).find(({ label }) => label === "Café Zoë")
    expect([String(made?.circle.lat), String(made?.circle.lon), made?.circle.radiusM]).toEqual([
      String(Number(lat)),
      String(Number(lon)),
      300
    ])
    expect(new Set(requests.map(({ referer }) => referer))).toEqual(new Set([`${world.url}/`]))
  })

  it("with the keyboard: arrows move, Enter takes the centre of the map", async () => {
    const { page, world } = at
    const person = await world.person()
    await place(world, person, "Home")
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    const map = page.getByRole("region", { name: "Map" })
    await map.focus()
    await page.keyboard.press("Enter")
    const before = Number(await page.getByLabel("Latitude").inputValue())
    expect(Math.abs(before - 52.52)).toBeLessThan(0.001)
    await page.keyboard.press("ArrowDown")
    await expect
      .poll(async () => {
        await page.keyboard.press("Enter")
        return Number(await page.getByLabel("Latitude").inputValue())
      })
      .toBeLessThan(before)
    await expect(page.url()).toMatch(/\/portal\/places$/)
  })

  it("what is typed is shown, also when it is wrong for a while; the map follows", async () => {
    const { page, world } = at
    await at.as(await world.person())
    await page.goto(`${world.url}/portal/places`)
    await page.getByText("Enter by hand").click()
    await page.getByLabel("Latitude").fill("91")
    await page.getByLabel("Longitude").fill("13,4095")
    expect(await circles(page).count()).toBe(0)
    await page.getByLabel("Latitude").fill("52.5208")
    await page.getByLabel("Radius").focus()
    expect(await circles(page).count()).toBe(1)
  })

  it("a radius is drawn as the form reads it, also when it is typed with a sign between the thousands [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    const home = await place(world, person, "Home")
    await at.as(person)
    await page.goto(`${world.url}/portal/places/${home.id}`)
    const knob = page.getByRole("slider")
    await knob.waitFor()
    for (const [typed, metres] of [
      ["1,000", "1000"],
      ["10.000", "10000"],
      ["1\u202f500", "1500"],
      ["150.125", "150"],
      ["1000,5", "1001"]
    ] as const) {
      await page.getByLabel("Radius").fill(typed)
      expect([typed, await knob.getAttribute("aria-valuenow", { timeout: 5_000 })]).toEqual([typed, metres])
    }
  })

  it("Use where I am now asks the browser", async () => {
    const { page, world } = at
    await at.as(await world.person())
    await page.goto(`${world.url}/portal/places`)
    await page.getByRole("button", { name: "Use where I am now" }).click()
    await page.getByText("Found, to within 12 metres.").waitFor()
    expect(await page.getByLabel("Latitude").inputValue()).toBe("48.208200")
    expect(await page.getByLabel("Longitude").inputValue()).toBe("16.373800")
  })

  it("an existing place is shown with its circle, and can be moved by a click", async () => {
    const { page, world } = at
    const person = await world.person()
    const home = await place(world, person, "Home")
    await place(world, person, "Next door", 52.5203, 13.408)
    await at.as(person)
    await page.goto(`${world.url}/portal/places/${home.id}`)
    await page.locator(".map path.chosen").waitFor({ state: "attached" })
    expect(await circles(page).count()).toBe(2)
    await page.locator(".leaflet-tile-loaded").first().waitFor()
    await inspect(page, "place-map")
    const map = page.getByRole("region", { name: "Map" })
    await map.click({ position: { x: 90, y: 60 } })
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("The place was changed.").waitFor()
    const moved = (await world.run(listPlaces(person.account.id))).find(({ id }) => id === home.id)
    expect(moved?.circle.lat).toBeGreaterThan(52.52)
    expect(moved?.circle.lon).toBeLessThan(13.405)
  })
})

/**
 * Drags a handle of the map from the handle's middle by `x` and `y` pixels, with mouse moves like those of a person.
 */
const drag = async (page: Page, handle: string, [x, y]: readonly [number, number]): Promise<void> => {
  const box = await page.locator(handle).boundingBox()
  const [fromX, fromY] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2]
  await page.mouse.move(fromX, fromY)
  await page.mouse.down()
  await page.mouse.move(fromX + x / 2, fromY + y / 2, { steps: 3 })
  await page.mouse.move(fromX + x, fromY + y, { steps: 3 })
  await page.mouse.up()
}

/** A script for the page that returns the pairs of names on the map that cover each other. */
const COLLISIONS = `(() => {
  const names = [...document.querySelectorAll(".leaflet-names-pane span:not(.town-dot)")]
    .map((one) => ({ text: one.textContent, box: one.getBoundingClientRect() }))
  return names.flatMap((a, i) => names.slice(i + 1)
    .filter(({ box: b }) => a.box.left < b.right && b.left < a.box.right)
    .filter(({ box: b }) => a.box.top < b.bottom && b.top < a.box.bottom)
    .map((b) => a.text + " over " + b.text))
})()`

describeBrowser("places on the map of this service", () => {
  const at = desk()
  const names = (page: Page) => page.locator(".leaflet-names-pane span:not(.town-dot)").allTextContents()

  it("the first place is chosen on a map with land and names, from no other server, and no name covers another [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    await at.as(person)
    const requests: Array<string> = []
    page.on("request", (request) => requests.push(new URL(request.url()).origin))
    await page.goto(`${world.url}/portal/places`)
    const map = page.getByRole("region", { name: "Map" })
    await page.locator("canvas.leaflet-tile-loaded").first().waitFor()
    await expect.poll(() => names(page)).toContain("Brazil")
    expect(await page.evaluate(COLLISIONS)).toEqual([])
    // A pixel in the middle of Africa must be drawn as land, and a pixel in the middle of the Atlantic must be
    // transparent.
    const drawn = await page.evaluate<ReadonlyArray<number>>(`[[2, 2], [1, 2]].map(([x, y]) => {
      const tiles = [...document.querySelectorAll("canvas.leaflet-tile")]
      const middle = document.querySelector(".map").getBoundingClientRect()
      const [left, top] = x === 2 ? [${20 - 10}, ${0 - 25}] : [${-30 - 10}, ${0 - 25}]
      const at = [middle.left + middle.width / 2 + left * 1024 / 360, middle.top + middle.height / 2 - top * 2.95]
      const tile = tiles.find((one) => {
        const box = one.getBoundingClientRect()
        return box.left <= at[0] && at[0] < box.right && box.top <= at[1] && at[1] < box.bottom
      })
      const box = tile.getBoundingClientRect()
      const scale = tile.width / box.width
      return tile.getContext("2d").getImageData((at[0] - box.left) * scale, (at[1] - box.top) * scale, 1, 1).data[3]
    })`)
    expect(drawn).toEqual([255, 0])
    await inspect(page, "places-base-map")
    // Below zoom 13, each click chooses a point and also zooms in. After four clicks the map is close enough to choose
    // an exact point.
    await map.scrollIntoViewIfNeeded()
    for (let i = 0; i < 4; i++) {
      await map.click({ position: { x: 200, y: 150 } })
      await page.waitForTimeout(400)
      expect(await page.evaluate(COLLISIONS)).toEqual([])
    }
    await page.getByLabel("Name").fill("Home")
    await page.getByRole("button", { name: "Add place" }).click()
    await page.getByText("The place was created.").waitFor()
    expect([...new Set(requests)]).toEqual([world.url])
  })

  it("the map begins at the newest location of the phone, which it names [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    await place(world, person, "Summer house", 60, 20)
    await (await phone(world, person)).at({ lat: 46.9, lon: 3.6 }, [60_000])
    await at.as(person)
    await page.goto(`${world.url}/portal/places`)
    await expect.poll(() => names(page)).toEqual(["Your newest location"])
    await page.getByText(/^.+ is \d+(\.\d)? km to the (north|south|east|west)/).waitFor()
    await page.getByRole("region", { name: "Map" }).focus()
    await page.keyboard.press("Enter")
    expect(Number(await page.getByLabel("Latitude").inputValue())).toBeCloseTo(46.9, 3)
    expect(Number(await page.getByLabel("Longitude").inputValue())).toBeCloseTo(3.6, 3)
  })

  it("no name covers the pin, also where the phone is [places-4]", async () => {
    const { page, world } = at
    const person = await world.person()
    const home = await place(world, person, "Home")
    await (await phone(world, person)).at({ lat: home.circle.lat, lon: home.circle.lon }, [60_000])
    await at.as(person)
    await page.goto(`${world.url}/portal/places/${home.id}`)
    await expect.poll(() => names(page)).toContain("Your newest location")
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox()
      if (box === null) throw new Error(`${selector} is not on the page`)
      return box
    }
    const [pin, name] = [await boxOf(".map .pin"), await boxOf(".map .place-name")]
    // The middle of the box around the pin is the point that the pin marks. The pin is drawn above this point.
    const isBeside = name.x > pin.x + pin.width || name.x + name.width < pin.x
    expect(isBeside || name.y > pin.y + 14 || name.y + name.height < pin.y - 9).toBe(true)
  })

  it("the pin is dragged, the circle resized, with the pointer and with the keyboard", async () => {
    const { page, world } = at
    const person = await world.person()
    const home = await place(world, person, "Home")
    await at.as(person)
    await page.goto(`${world.url}/portal/places/${home.id}`)
    await page.locator(".map .knob").waitFor()
    await page.getByRole("region", { name: "Map" }).scrollIntoViewIfNeeded()
    const now = async () => ({
      lat: Number(await page.getByLabel("Latitude").inputValue()),
      lon: Number(await page.getByLabel("Longitude").inputValue()),
      radius: Number(await page.getByLabel("Radius").inputValue())
    })
    const before = await now()
    await drag(page, ".map .knob", [60, 0])
    const larger = await now()
    expect(larger.radius).toBeGreaterThan(before.radius + 50)
    expect(larger).toMatchObject({ lat: before.lat, lon: before.lon })
    await page.getByLabel("Radius").fill("150")
    await page.getByRole("region", { name: "Map" }).scrollIntoViewIfNeeded()
    await drag(page, ".map .pin", [40, -30])
    const moved = await now()
    expect(moved.lat).toBeGreaterThan(before.lat)
    expect(moved.lon).toBeGreaterThan(before.lon)
    expect(moved.radius).toBe(150)
    await page.getByRole("slider", { name: "Size of the circle" }).press("ArrowUp")
    expect((await now()).radius).toBe(160)
    await page.getByRole("slider", { name: "Size of the circle" }).press("Shift+ArrowLeft")
    expect((await now()).radius).toBe(100)
    await page.locator(".map .pin").press("ArrowDown")
    expect((await now()).lat).toBeCloseTo(moved.lat - 10 / 111_320, 5)
    await inspect(page, "place-handles")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("The place was changed.").waitFor()
    const [saved] = await world.run(listPlaces(person.account.id))
    expect(saved?.circle.radiusM).toBe(100)
  })

  it("the coordinates are for people who enter them by hand; a missing one comes into sight", async () => {
    const { page, world } = at
    await at.as(await world.person())
    await page.goto(`${world.url}/portal/places`)
    await page.locator("canvas.leaflet-tile-loaded").first().waitFor()
    expect(await page.getByLabel("Latitude").isVisible()).toBe(false)
    await page.getByLabel("Name").fill("Home")
    await page.getByRole("button", { name: "Add place" }).click()
    await page.getByLabel("Latitude").waitFor()
    expect(await page.evaluate("document.activeElement.id")).toBe("lat")
  })
})

describeBrowser("places without script", () => {
  const at = desk({ browser: { javaScriptEnabled: false } })

  it("add with a mistake, mend, change, archive: the fields do all of it, and there is no trace of a map", async () => {
    const { page, world } = at
    await at.as(await world.person())
    await page.goto(`${world.url}/portal/places`)
    expect(await page.locator("#map").isVisible()).toBe(false)
    expect(await page.getByRole("button", { name: "Use where I am now" }).isVisible()).toBe(false)
    await page.getByLabel("Name").fill("Café Zoë")
    await page.getByLabel("Latitude").fill("91")
    await page.getByLabel("Longitude").fill("13,4095")
    await page.getByRole("button", { name: "Add place" }).click()
    await page.getByText("There is a problem").waitFor()
    await page.getByLabel("Latitude").fill("52.5208")
    await page.getByRole("button", { name: "Add place" }).click()
    await page.getByText("52.5208, 13.4095").waitFor()
    await page.getByRole("link", { name: "Change" }).click()
    await page.getByLabel("Radius").fill("200")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("200 m").waitFor()
    await page.getByText("Archive Café Zoë").first().click()
    await page.getByRole("button", { name: "Archive Café Zoë" }).click()
    await page.getByText("The place was archived.").waitFor()
  })
})
