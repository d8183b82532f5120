import { FixHistory } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import type { Route } from "playwright-core"
import { beforeEach, expect, it } from "vitest"
import { describeBrowser } from "../../../domain/test/support/chromium.js"
import { inspect } from "../support/browser.js"
import { desk } from "../support/desk.js"
import type { Person } from "../support/World.js"

const BERLIN = { latitude: 52.52, longitude: 13.405, accuracy: 11.3 }

const UPLOAD = "**/v1/phone/locations"

const LATITUDES = (count: number) =>
  Array.from({ length: count }, (_, index) => Number((50 + index / 1_000).toFixed(3)))

/**
 * Delays all uploads until `count` uploads wait, or until the test calls `open`. `held` returns the number of uploads
 * that were delayed.
 */
const holdUploads = (count: number) => {
  let held = 0
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return {
    open,
    held: () => held,
    handle: async (route: Route) => {
      if (++held >= count) open()
      await opened
      await route.continue()
    }
  }
}

describeBrowser("sharing from this browser [devices-15]", () => {
  const at = desk({ browser: { geolocation: BERLIN } })

  /** The locations that the service has stored for this person, the newest first. */
  const stored = ({ account }: Person, most = 50) =>
    at.world.run(
      Effect.flatMap(FixHistory, (history) =>
        history.newest(account.id, Timestamp.make(at.world.clock.now()), { from: null, until: null }, most)
      )
    )
  const open = async (person: Person) => {
    await at.as(person)
    await at.page.goto(`${at.world.url}/portal/devices`)
    await at.page.getByRole("link", { name: "Only this browser" }).click()
    await at.page.getByRole("heading", { name: "Share from this browser" }).waitFor()
  }
  const press = (name: string) => at.page.getByRole("button", { name, exact: true }).click()
  const says = (words: string | RegExp) => at.page.getByText(words).first().waitFor()
  const devices = async (person: Person) =>
    ((await person.get("/v1/user/devices")).json as { readonly devices: ReadonlyArray<unknown> }).devices

  /** The keys of the values that the browser stores for this person. */
  const kept = async ({ account }: Person) =>
    (await at.page.evaluate<ReadonlyArray<string>>("Object.keys(localStorage)")).filter((key) =>
      key.endsWith(account.id)
    )

  /**
   * Puts locations into the queue of the browser, as if it had been offline. There is one location for each minute, and
   * the last one is a minute old.
   */
  const wait = async ({ account }: Person, count: number) => {
    const locations = LATITUDES(count).map((lat, index) => ({
      captured_at: new Date(at.world.clock.now() - (count - index) * Timestamp.MINUTE).toISOString(),
      lat,
      lon: 13,
      accuracy_m: 10
    }))
    const [key, value] = [`share-queue:${account.id}`, JSON.stringify(locations)].map((text) => JSON.stringify(text))
    await at.page.evaluate(`localStorage.setItem(${key}, ${value})`)
  }

  /** The latitudes of the locations that wait in the browser. */
  const queued = async ({ account }: Person) => {
    const text = await at.page.evaluate<string | null>(`localStorage.getItem("share-queue:${account.id}")`)
    return (JSON.parse(text ?? "[]") as ReadonlyArray<{ readonly lat: number }>).map(({ lat }) => lat)
  }

  /** Makes the browser report that it is online, so that the page sends. */
  const online = () => at.page.evaluate('window.dispatchEvent(new Event("online"))')

  beforeEach(async () => {
    await at.context.grantPermissions(["geolocation"])
    await at.context.setGeolocation(BERLIN)
    await at.page.clock.setFixedTime(at.world.clock.now())
  })

  it("sends while it is on, says what it sent, and stops", async () => {
    const { context, page } = at
    const person = await at.world.person()
    await open(person)
    await inspect(page, "share")
    expect(await devices(person)).toEqual([])
    await press("Start")
    await says(/, ±12 m$/)
    await says("Sharing. Keep this page open.")
    expect(await stored(person)).toMatchObject([{ lat: 52.52, lon: 13.405, accuracyM: 11.3 }])
    expect(await devices(person)).toMatchObject([{ name: "Chrome on Linux", format: "browser", status: "sending" }])
    await inspect(page, "share-on")

    await press("Stop")
    await says("Stopped. Nothing is sent.")
    await context.setGeolocation({ ...BERLIN, latitude: 52.6 })
    await page.waitForTimeout(500)
    expect(await stored(person)).toHaveLength(1)

    await page.reload()
    await press("Start")
    await says("Sharing. Keep this page open.")
    expect(await devices(person)).toHaveLength(1)
  })

  it("the keyboard goes from Start to Stop and back, because each button hides itself", async () => {
    const { page } = at
    await open(await at.world.person())
    const focused = () => page.evaluate<string>("document.activeElement.innerText")
    const enter = (name: string) => page.getByRole("button", { name, exact: true }).press("Enter")
    await enter("Start")
    await says("Sharing. Keep this page open.")
    expect(await focused()).toBe("Stop")
    await enter("Stop")
    expect(await focused()).toBe("Start")
    await enter("Start")
    await says("Sharing. Keep this page open.")
    await enter("Forget this browser")
    await says("Forgotten. This browser can send nothing any more.")
    expect(await focused()).toBe("Start")
  })

  it("offline the locations wait in the browser, and are sent when it is online again", async () => {
    const { context, page, world } = at
    const person = await world.person()
    await open(person)
    await press("Start")
    await says("Sharing. Keep this page open.")
    await context.setOffline(true)
    world.clock.advance(Timestamp.MINUTE)
    await page.clock.setFixedTime(world.clock.now())
    await context.setGeolocation({ ...BERLIN, latitude: 52.53 })
    await says("1 location is not sent yet.")
    expect(await stored(person)).toHaveLength(1)
    await context.setOffline(false)
    await expect
      .poll(async () => (await stored(person)).map(({ lat }) => lat), { timeout: 10_000 })
      .toEqual([52.53, 52.52])
    await page.getByText("not sent yet").waitFor({ state: "hidden" })
  })

  it("two tabs that send the same waiting locations leave those that neither has sent [devices-7]", async () => {
    const { context, page } = at
    const person = await at.world.person()
    await open(person)
    await press("Start")
    await says("Sharing. Keep this page open.")
    await press("Stop")
    await wait(person, 150)
    const gate = holdUploads(2)
    await context.route(UPLOAD, gate.handle)
    const other = await context.newPage()
    await other.clock.setFixedTime(at.world.clock.now())
    await Promise.all([page.reload(), other.goto(page.url())])
    for (const tab of [page, other]) await tab.getByRole("button", { name: "Start", exact: true }).click()
    for (const tab of [page, other]) await tab.locator("#share-sent li").first().waitFor()
    const waiting = (await queued(person)).filter((lat) => lat !== BERLIN.latitude)
    expect(waiting).toEqual(LATITUDES(150).slice(100))
    await context.unroute(UPLOAD)
    await online()
    await expect.poll(async () => (await stored(person, 1_000)).length, { timeout: 10_000 }).toBe(151)
  })

  it("Start in two new tabs at once adds one device", async () => {
    const { context, page } = at
    const person = await at.world.person()
    await open(person)
    const other = await context.newPage()
    await other.clock.setFixedTime(at.world.clock.now())
    await other.goto(page.url())
    // The test delays the answer, so that the second tab does not find the first tab's device in the storage.
    await context.route("**/v1/user/devices", async (route) => {
      await page.waitForTimeout(1_000)
      await route.continue()
    })
    const tabs = [page, other]
    await Promise.all(tabs.map((tab) => tab.getByRole("button", { name: "Start", exact: true }).click()))
    for (const tab of tabs) await tab.getByText("Sharing. Keep this page open.").waitFor()
    await context.unroute("**/v1/user/devices")
    expect(await devices(person)).toHaveLength(1)
  })

  it("a location that was never sent stays while a full queue takes new ones during an upload [devices-7]", async () => {
    const { context, page, world } = at
    const person = await world.person()
    await open(person)
    await press("Start")
    await says("Sharing. Keep this page open.")
    await wait(person, 719)
    const gate = holdUploads(Infinity)
    await context.route(UPLOAD, gate.handle)
    const move = async (latitude: number) => {
      world.clock.advance(Timestamp.MINUTE)
      await page.clock.setFixedTime(world.clock.now())
      await context.setGeolocation({ ...BERLIN, latitude })
      await expect.poll(async () => (await queued(person)).at(-1)).toBe(latitude)
    }
    await move(53)
    await expect.poll(gate.held).toBe(1)
    // The queue is full, so each new location drops the oldest one. The dropped locations are not lost: the upload in
    // flight contains them.
    for (const latitude of [53.1, 53.2, 53.3]) await move(latitude)
    gate.open()
    await expect.poll(async () => (await queued(person)).length, { timeout: 10_000 }).toBeLessThan(100)
    await online()
    await expect.poll(async () => (await queued(person)).length, { timeout: 10_000 }).toBe(0)
    const latitudes = new Set((await stored(person, 1_000)).map(({ lat }) => lat))
    expect(LATITUDES(719).filter((lat) => !latitudes.has(lat))).toEqual([])
    expect(latitudes.size).toBe(719 + 5)
  })

  it("Chromium finds nothing that stands against installing it", async () => {
    const { context, page } = at
    await open(await at.world.person())
    const devtools = await context.newCDPSession(page)
    const { errors } = await devtools.send("Page.getAppManifest")
    expect(errors).toEqual([])
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors")
    // The contexts of tests are private windows, in which a browser cannot install apps. So the error `in-incognito` is
    // expected.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([])
  })

  it("another account in this browser is another device; a removed one stops, and forgetting removes it", async () => {
    const { page, world } = at
    const [ada, bob] = [await world.person(), await world.person()]
    await open(ada)
    await press("Start")
    await says("Sharing. Keep this page open.")
    await open(bob)
    await press("Start")
    await says("Sharing. Keep this page open.")
    expect([await stored(ada), await stored(bob)].map(({ length }) => length)).toEqual([1, 1])

    await press("Forget this browser")
    await says("Forgotten. This browser can send nothing any more.")
    expect(await devices(bob)).toEqual([])
    expect([await kept(ada), await kept(bob)]).toEqual([[`share-device:${ada.account.id}`], []])

    await open(ada)
    const [{ id }] = (await devices(ada)) as readonly [{ readonly id: string }]
    await ada.send("DELETE", `/v1/user/devices/${id}`)
    world.clock.advance(Timestamp.MINUTE)
    await page.clock.setFixedTime(world.clock.now())
    await press("Start")
    await says("This browser was removed from your devices.")
    expect(await kept(ada)).toEqual([])
  })

  it("a browser that may not say where it is gets a text that says how to allow it", async () => {
    await at.context.clearPermissions()
    await open(await at.world.person())
    await press("Start")
    await says("Your browser is not allowed to say where you are.")
  })

  it("only this page and pages with a map may ask for the position; a manifest makes it installable", async () => {
    const person = await at.world.person()
    const policy = async (path: string) => (await person.get(path)).headers.get("permissions-policy")
    expect(await policy("/portal/devices/share")).toContain("geolocation=(self)")
    for (const path of ["/portal/devices", "/portal/settings", "/"]) {
      expect([path, await policy(path)]).toEqual([path, expect.stringContaining("geolocation=()")])
    }
    const manifest = await at.world.call("/portal/devices/share.webmanifest")
    expect(manifest.headers.get("content-type")).toBe("application/manifest+json")
    expect(manifest.json).toMatchObject({ start_url: "/portal/devices/share", display: "standalone" })
    const { icons } = manifest.json as { readonly icons: ReadonlyArray<{ readonly src: string }> }
    expect(icons).toHaveLength(2)
    for (const { src } of icons) expect((await at.world.call(src)).status).toBe(200)
  })
})
