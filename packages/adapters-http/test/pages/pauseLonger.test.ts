import { listConnections } from "@place-access/domain/connection"
import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const paused = async () => {
  const person = await world.person()
  const { app } = await world.app(person)
  await world.connect(person, app, { scopes: ["location.place.current"] })
  const connection = async () => (await world.run(listConnections(person.account.id)))[0]
  const path = `/portal/connections/${(await connection())?.id ?? ""}`
  const browser = await signedIn(world, person.account.email)
  await browser.submit(await browser.get(path), `${path}/pause`, { for: "hour" })
  return { path, browser, connection }
}

/** For each button that pauses the app, the length of the pause. */
const lengths = (page: string): ReadonlyArray<string | undefined> =>
  [...page.matchAll(/name="for" value="(\w+)"/g)].map(([, value]) => value)

it("a paused app can be paused for longer, on its own page [connection-4]", async () => {
  const { browser, connection, path } = await paused()
  const from = world.clock.now()
  world.clock.advance(10 * Timestamp.MINUTE)
  const page = await browser.get(path)
  expect([page.text.includes("Pause longer"), page.text.includes("Resume now"), lengths(page.text)]).toEqual([
    true,
    true,
    ["day", "until_resumed"]
  ])
  const told = await browser.submit(page, `${path}/pause`, { for: "day" })
  expect(told.headers.get("location")).toBe(`${path}?done=paused`)
  expect((await connection())?.pause).toEqual({ from, until: world.clock.now() + Timestamp.DAY })
  expect((await browser.get(`${path}/history`)).text.match(/>Paused</g)).toHaveLength(2)
})

it("a pause without an end offers nothing longer [connection-4]", async () => {
  const { browser, connection, path } = await paused()
  await browser.submit(await browser.get(path), `${path}/pause`, { for: "until_resumed" })
  const page = await browser.get(path, { "accept-language": "de" })
  expect([page.text.includes("Jetzt fortsetzen"), page.text.includes("Länger pausieren"), lengths(page.text)]).toEqual([
    true,
    false,
    []
  ])
  expect((await connection())?.pause?.until).toBeNull()
})

it("German readers read it in German", async () => {
  const { browser, path } = await paused()
  const { text } = await browser.get(path, { "accept-language": "de" })
  expect(text).toMatch(/Länger pausieren[^]*>1 Tag<[^]*>Bis ich fortsetze</)
})
