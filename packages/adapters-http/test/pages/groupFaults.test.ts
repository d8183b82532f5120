import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { connected, CURRENT, LATEST } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** A new app, and a browser in which its owner is signed in. */
const there = async () => {
  const owner = await world.person()
  const { app } = await world.app(owner)
  return { app, browser: await signedIn(world, owner.account.email), path: `/developer/apps/${app.id}` }
}

/** The opening tag of the element with the id `id`. */
const tag = (text: string, id: string): string => new RegExp(`<\\w+\\b[^>]*\\sid="${id}"[^>]*>`).exec(text)?.[0] ?? ""

const describedBy = (text: string, id: string): ReadonlyArray<string> =>
  /aria-describedby="([^"]*)"/.exec(tag(text, id))?.[1]?.split(" ") ?? []

/**
 * Whether the control or group with the id `id` refers to its error message (`aria-describedby`), and the message is on
 * the page exactly once.
 */
const namesFault = (text: string, id: string): boolean =>
  describedBy(text, id).includes(`${id}-fault`) && text.split(`id="${id}-fault"`).length === 2

describe("a fault is tied to its control or group, for screen readers", () => {
  it("the scopes of an app and the events of an endpoint", async () => {
    const { browser, path } = await there()
    const app = await browser.submit(await browser.get("/developer/apps/new"), "/developer/apps", { name: "X" })
    expect([app.status, namesFault(app.text, "scopes")]).toEqual([400, true])
    const hooks = `${path}/webhooks`
    const endpoint = await browser.submit(await browser.get(hooks), hooks, { url: "https://x.example", events: "nope" })
    expect([endpoint.status, namesFault(endpoint.text, "events")]).toEqual([400, true])
    expect(describedBy((await browser.get(hooks)).text, "events")).toEqual([])
  })

  it("how long history is kept, in the settings", async () => {
    const { browser } = await there()
    const page = await browser.get("/portal/settings")
    const { status, text } = await browser.submit(page, "/portal/settings/history", { keep_days: "7" })
    expect([status, namesFault(text, "keep_days")]).toEqual([400, true])
  })

  it("the places of a connected app, and both groups of its permissions", async () => {
    const { connection, connect, person } = await connected(world)
    await connect([CURRENT, LATEST])
    const path = `/portal/connections/${(await connection()).id}`
    const browser = await signedIn(world, person.account.email)
    const places = await browser.submit(await browser.get(path), `${path}/places`, { place: "plc_unknown" })
    expect([places.status, namesFault(places.text, "places")]).toEqual([400, true])
    const change = { scopes: "location.unknown", standard_days: "", sensitive_days: "" }
    const scopes = await browser.submit(await browser.get(path), `${path}/permissions`, change)
    expect([scopes.status, namesFault(scopes.text, "scopes")]).toEqual([400, true])
    expect(scopes.text).toMatch(/<fieldset class="sensitive"\s+aria-describedby="scopes-fault"/)
  })

  it("a file: the logo of an app, and the log of a test person", async () => {
    const { browser, path } = await there()
    const logo = await browser.submit(await browser.get(`${path}/logo`), `${path}/logo`)
    expect([logo.status, namesFault(logo.text, "logo")]).toEqual([400, true])
    expect(tag(logo.text, "logo")).toContain('aria-invalid="true"')
    expect(describedBy(logo.text, "logo")).toContain("logo-hint")
    const people = `${path}/test-people`
    const draft = { name: "Alex", lat: "52.5", lon: "13.4", scopes: "location.place.current" }
    await browser.submit(await browser.get(people), people, draft)
    const list = await browser.get(people)
    const id = /<li class="card" id="(\w+)"/.exec(list.text)?.[1] ?? ""
    const log = await browser.submit(list, `${people}/${id}/logs`)
    expect([log.status, namesFault(log.text, `file-${id}`)]).toEqual([400, true])
  })

  it("the trip of one test person, and not of the others", async () => {
    const { browser, path } = await there()
    const people = `${path}/test-people`
    const draft = { name: "Alex", lat: "52.5", lon: "13.4", scopes: "location.place.current" }
    for (const name of ["Alex", "Bo"]) await browser.submit(await browser.get(people), people, { ...draft, name })
    const list = await browser.get(people)
    const [id = "", other = ""] = [...list.text.matchAll(/<li class="card" id="(\w+)"/g)].map((match) => match[1])
    const place = /<option value="(plc_\w+)"/.exec(list.text)?.[1] ?? ""
    const trip = { trip: "stay", place, minutes: "9999", late_minutes: "0", accuracy_m: "10" }
    const { status, text } = await browser.submit(list, `${people}/${id}/trips`, trip)
    expect([status, namesFault(text, `minutes-${id}`), namesFault(text, `minutes-${other}`)]).toEqual([
      400,
      true,
      false
    ])
    expect(tag(text, `minutes-${id}`)).toContain('aria-invalid="true"')
  })
})
