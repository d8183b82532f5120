import { afterEach, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"
import { call } from "../support/wire.js"

let world: World | undefined
afterEach(() => world?.close())

it("the portal and the consent pages are below the paths of their addresses [settings-4]", async () => {
  const [portal, consent] = ["/of/my-people_1.0~x", "/of/consent-1.0~x"]
  const address = "https://places.example.com"
  world = await startWorld({ authUrl: `${address}${consent}`, userPortalUrl: `${address}${portal}` })
  const person = await world.person()
  for (const page of ["timeline", "connections", "places", "devices", "access-log", "settings"]) {
    expect([page, (await person.get(`${portal}/${page}`)).status]).toEqual([page, 200])
    expect([page, (await person.get(`/portal/${page}`)).status]).toEqual([page, 404])
  }
  const front = await person.get("/")
  const links = [...front.text.matchAll(/href="(\/[^"]*)"/g)].flatMap(([, link = ""]) => (link === "/" ? [] : [link]))
  expect(links.filter((link) => link.startsWith(`${portal}/`)).length).toBeGreaterThan(4)
  for (const link of new Set(links)) expect([link, (await person.get(link)).status]).toEqual([link, 200])
  const request = await call(`${world.url}${consent}/authorize?client_id=app_unknown`)
  expect([request.status, (await call(`${world.url}/authorize?client_id=app_unknown`)).status]).toEqual([400, 404])
})
