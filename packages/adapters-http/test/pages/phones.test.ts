import { eraseHistory } from "@place-access/domain/retention-choice"
import { Timestamp } from "@place-access/domain/shared"
import { afterEach, describe, expect, it } from "vitest"
import { bearer, startWorld, type World } from "../support/World.js"
import { jsonBody } from "../support/wire.js"

let world: World
afterEach(() => world.close())

/** The page that explains the setup of a phone whose app sends in the format `format`. */
const setUp = async (format: string): Promise<string> => {
  const person = await world.person()
  const token = /name="form_token" value="([^"]+)"/.exec((await person.get("/portal/devices")).text)?.[1] ?? ""
  const body = new URLSearchParams({ form_token: token, name: "My phone", format })
  return (await person.send("POST", "/portal/devices", undefined, { body })).text
}

describe("an address that no phone can reach", () => {
  const WARNING = "A phone cannot reach this address"

  it("is said to be one before the phone is set up; a program may run on this computer", async () => {
    world = await startWorld()
    for (const format of ["overland", "owntracks", "traccar", "osmand", "gpslogger"]) {
      const page = await setUp(format)
      expect([format, page]).toEqual([format, expect.stringContaining(WARNING)])
      // An app on a phone cannot reach the service's address, but a browser on the machine of the service can. So the
      // page must offer to share the location from a browser.
      expect(page).toContain('href="/portal/devices/share"')
    }
    expect(await setUp("json")).toContain("Try it from a terminal")
    expect(await setUp("json")).not.toContain(WARNING)
  })

  it("the page warns only of an address that no phone can reach", async () => {
    const url = "http://192.168.1.20:8080"
    world = await startWorld({ baseUrl: url, authUrl: url, userPortalUrl: `${url}/portal` })
    const page = await setUp("overland")
    expect(page).toContain("Overland, step by step")
    expect(page).not.toContain(WARNING)
  })
})

describe("which phone it is comes before the app [devices-13]", () => {
  const formats = (page: string) => [...page.matchAll(/name="format"\s+value="(\w+)"/g)].map(([, format]) => format)

  it("the page asks, and offers the apps of that phone; on a phone it knows", async () => {
    world = await startWorld()
    const person = await world.person()
    const page = async (path: string, agent = "") =>
      formats((await person.get(path, { headers: { "user-agent": agent } })).text)
    const APPS = {
      iphone: ["overland", "owntracks", "traccar"],
      android: ["owntracks", "traccar", "gpslogger", "osmand"]
    }
    expect(await page("/portal/devices")).toEqual([])
    expect(await page("/portal/devices?phone=toaster")).toEqual([])
    expect(await page("/portal/devices?phone=iphone")).toEqual(APPS.iphone)
    expect(await page("/portal/devices?phone=android")).toEqual(APPS.android)
    expect(await page("/portal/devices?phone=other")).toEqual(["json"])
    expect(await page("/portal/devices", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)")).toEqual(APPS.iphone)
    expect(await page("/portal/devices", "Mozilla/5.0 (Linux; Android 15; Pixel 9)")).toEqual(APPS.android)
    expect(await page("/portal/devices?phone=iphone", "Mozilla/5.0 (Linux; Android 15)")).toEqual(APPS.iphone)
  })
})

describe("the name of a new device [devices-13]", () => {
  it("is proposed, in the reader's language, and differs from the others", async () => {
    world = await startWorld()
    const person = await world.person()
    const proposed = async (kind: string, language = "en") => {
      const headers = { "accept-language": language }
      const { text } = await person.get(`/portal/devices?phone=${kind}`, { headers })
      return /name="name"[^>]*?value="([^"]*)"/.exec(text)?.[1]
    }
    expect([await proposed("iphone"), await proposed("android")]).toEqual(["My iPhone", "My Android phone"])
    expect(await proposed("android", "de")).toBe("Mein Android-Handy")
    await person.send("POST", "/v1/user/devices", { name: "My iPhone", format: "overland" })
    expect(await proposed("iphone")).toBe("My iPhone 2")
  })
})

describe("whether a phone works is said on its page [devices-13]", () => {
  it("waits, then names the exactness, then what to look at when it stops or is inexact", async () => {
    world = await startWorld()
    const person = await world.person()
    const { json } = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    const { id, token } = json as { readonly id: string; readonly token: string }
    const page = async () => (await person.get(`/portal/devices/${id}`)).text
    const list = async () => (await person.get("/portal/devices")).text
    const send = (accuracy_m: number) => {
      const captured_at = new Date(world.clock.now()).toISOString()
      const body = jsonBody({ locations: [{ captured_at, lat: 52.37, lon: 4.89, accuracy_m }] })
      const headers = { ...body.headers, ...bearer(token).headers }
      return world.call("/v1/phone/locations", { ...body, method: "POST", headers })
    }
    expect(await page()).toMatch(/data-state="nothing_sent"[^]*Waiting for the first location…/)
    expect(await page()).not.toContain("Nothing has arrived yet")
    world.clock.advance(10 * Timestamp.MINUTE)
    expect(await page()).toMatch(/Nothing has arrived yet[^]*exactly http[^]*\/v1\/phone\/locations/)

    await send(11.2)
    world.clock.advance(3 * Timestamp.MINUTE)
    expect(await page()).toMatch(/data-state="sending"[^]*Received, ±12 m\.[^]*3 min ago/)
    expect(await list()).toMatch(/>Sending<[^]*3 min ago/)
    world.clock.advance(Timestamp.HOUR)
    expect(await list()).toMatch(/badge warn">Late<[^]*It has stopped sending/)
    world.clock.advance(Timestamp.DAY)
    expect(await list()).toContain('badge bad">Silent<')

    await send(2_000)
    expect(await page()).toMatch(/Received, ±2,000 m\.[^]*Its locations are inexact/)
    expect(await list()).toMatch(/<dt>Accuracy<\/dt>\s*<dd>±2,000 m<\/dd>/)

    // Some phone apps send a huge number when they do not know the accuracy.
    world.clock.advance(Timestamp.MINUTE)
    await send(1e300)
    expect(await page()).toMatch(/<strong>Received\.<\/strong>[^]*Its locations are inexact/)
    expect(await list()).not.toContain("<dt>Accuracy</dt>")
  })

  it("shows how often it sent by hour, and what to change when rules would be late [devices-16]", async () => {
    world = await startWorld()
    const person = await world.person()
    const { json } = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    const { id, token } = json as { readonly id: string; readonly token: string }
    const page = async (language = "en") =>
      (await person.get(`/portal/devices/${id}`, { headers: { "accept-language": language } })).text.replace(
        /\s+/g,
        " "
      )
    const send = async (...minutesAgo: ReadonlyArray<number>) => {
      const locations = minutesAgo.map((minutes) => ({
        captured_at: new Date(world.clock.now() - minutes * Timestamp.MINUTE).toISOString(),
        lat: 52.37,
        lon: 4.89,
        accuracy_m: 10
      }))
      const body = jsonBody({ locations })
      const headers = { ...body.headers, ...bearer(token).headers }
      const { status } = await world.call("/v1/phone/locations", { ...body, method: "POST", headers })
      expect(status).toBe(200)
    }
    // Before the first location the page says nothing about how often the phone sent.
    expect(await page()).not.toContain("The last 24 hours")
    await send(0)
    expect(await page()).toContain("1 location in 24 hours. It came within 15 minutes, in time for rules.")
    expect(await page()).toContain("It was never silent for 15 minutes.")
    expect(await page()).not.toContain("What you can change")

    world.clock.advance(2 * Timestamp.HOUR)
    await send(0, 16)
    const after = await page()
    expect(after).toContain(
      "3 locations in 24 hours. 1 came more than 15 minutes after the phone was there: no rule fires for it."
    )
    expect(after).toMatch(/silent for 15 minutes or more 2 times, the longest time for 1 h 44 min from/)
    expect(after).toContain("Let your program upload each location within 15 minutes.")
    expect(after).toContain("Let your program send a location at least every 10 minutes")
    expect(after).toMatch(/<table>.*<th scope="col">Late<\/th>/)
    expect(await page("de")).toMatch(
      /3 Standorte in 24 Stunden\. 1 kam mehr als 15 Minuten, nachdem das Handy dort war: Für diesen löst keine Regel aus\./
    )
    const from = Timestamp.make(world.clock.now() - Timestamp.HOUR)
    const stretch = { from, until: Timestamp.plus(from, Timestamp.MINUTE) }
    await world.run(eraseHistory(person.account.id, stretch))
    const erased = await page()
    expect(erased).toMatch(/silent for 15 minutes or more 1 time, the longest time for 16 min from/)
    expect(erased).toContain("This leaves out the silences around a time whose history you deleted.")
    expect(erased).not.toContain("Let your program send a location at least every 10 minutes")
    world.clock.advance(Timestamp.MINUTE)
    const day = { from: Timestamp.plus(from, -Timestamp.DAY), until: Timestamp.make(world.clock.now()) }
    await world.run(eraseHistory(person.account.id, day))
    expect(await page()).toContain("Your history has nothing of this time, of which you deleted a part.")
    expect(await page("de")).toContain("Ihr Verlauf hat nichts aus dieser Zeit, von der Sie einen Teil gelöscht haben.")
    expect(await page()).not.toContain("It captured nothing")
  })

  it("another user's device, and one that is not there: 404", async () => {
    world = await startWorld()
    const [ada, eve] = [await world.person(), await world.person()]
    const { json } = await ada.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    const { id } = json as { readonly id: string }
    expect((await ada.get(`/portal/devices/${id}`)).status).toBe(200)
    expect((await eve.get(`/portal/devices/${id}`)).status).toBe(404)
    expect((await ada.get("/portal/devices/dev_none")).status).toBe(404)
  })
})

describe("the link of GPSLogger [devices-14]", () => {
  const PROFILE = "/set-up/place-access.properties"
  const add = async () => {
    world = await startWorld()
    const person = await world.person()
    const { json } = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "gpslogger" })
    const { id, setup, token } = json as {
      readonly id: string
      readonly token: string
      readonly setup: { readonly link: string; readonly qr_text: string }
    }
    const fetched = new URL(setup.link.replace("gpslogger://properties/", ""))
    return { id, person, token, scanned: new URL(setup.qr_text), path: fetched.pathname + fetched.search }
  }

  it("gives the token out once, to the browser that has the key; the page that a camera opens uses nothing up", async () => {
    const { path, scanned, token } = await add()
    const page = await world.call(scanned.pathname + scanned.search)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("gpslogger://properties/")])
    expect(page.text).not.toContain(token)
    const first = await world.call(path)
    expect(first.headers.get("cache-control")).toBe("no-store")
    expect([first.status, first.text]).toEqual([200, expect.stringContaining(token)])
    expect((await world.call(path)).status).toBe(404)
    // GPSLogger's profile, which `path` serves once, has the token of the new phone. This token must work.
    expect((await world.call("/v1/phone/osmand?lat=1&lon=2", bearer(token))).status).toBe(200)
  })

  it("HEAD uses nothing up, because it must change nothing (RFC 9110 §9.2.1)", async () => {
    const { path, token } = await add()
    for (const key of ["", "x"]) {
      expect((await world.call(`${PROFILE}?key=${key}`, { method: "HEAD" })).status).toBe(404)
    }
    const head = await world.call(path, { method: "HEAD" })
    expect([head.status, head.headers.get("cache-control")]).toEqual([200, "no-store"])
    const first = await world.call(path)
    expect([first.status, first.text]).toEqual([200, expect.stringContaining(token)])
  })

  it("ends after 15 minutes, and with its device; a key that nobody made is not there", async () => {
    const late = await add()
    world.clock.advance(15 * Timestamp.MINUTE)
    expect((await world.call(late.path)).status).toBe(404)
    await world.close()
    const { id, path, person } = await add()
    expect((await world.call(path.replace(/.$/, (last) => (last === "0" ? "1" : "0")))).status).toBe(404)
    for (const key of ["", "x", "pa_dv.usr_1.".padEnd(70, "a")]) {
      expect([key, (await world.call(`${PROFILE}?key=${key}`)).status]).toEqual([key, 404])
      expect([key, (await world.call(`/set-up/gpslogger?key=${key}`)).status]).toEqual([key, 404])
    }
    await person.send("DELETE", `/v1/user/devices/${id}`)
    expect((await world.call(path)).status).toBe(404)
  })

  it("only GPSLogger has a link", async () => {
    world = await startWorld()
    const person = await world.person()
    const { json } = await person.send("POST", "/v1/user/devices", { name: "Pixel", format: "json" })
    expect(JSON.stringify(json)).not.toContain("pa_ds")
  })
})
