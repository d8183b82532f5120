import { afterEach, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
afterEach(() => world.close())

/** The page that explains the setup of a phone with this app. */
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
    for (const format of ["overland", "owntracks", "osmand", "gpslogger"]) {
      expect([format, await setUp(format)]).toEqual([format, expect.stringContaining(WARNING)])
    }
    expect(await setUp("json")).toContain("Try it from a terminal")
    expect(await setUp("json")).not.toContain(WARNING)
  })

  it("is not every one", async () => {
    const url = "http://192.168.1.20:8080"
    world = await startWorld({ baseUrl: url, authUrl: url, userPortalUrl: `${url}/portal` })
    const page = await setUp("overland")
    expect(page).toContain("Overland, step by step")
    expect(page).not.toContain(WARNING)
  })
})
