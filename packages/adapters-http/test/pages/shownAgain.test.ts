import { Place } from "@place-access/domain/places"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { hidden } from "../support/visitor.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** The tag of the page's input with this id. */
const input = (text: string, id: string): string =>
  new RegExp(`<input\\b[^>]*\\sid="${id}"[^>]*>`).exec(text)?.[0] ?? ""

const isTicked = (text: string, id: string): boolean => /\schecked/.test(input(text, id))

describe("a form with a mistake is shown again as it was sent", () => {
  it("the times of a stretch of the history", async () => {
    const browser = await signedIn(world, (await world.person()).account.email)
    const page = await browser.get("/portal/timeline/erase?day=2026-02-27&from=11:00&until=10:30")
    expect(page.status).toBe(400)
    expect([input(page.text, "from"), input(page.text, "until")]).toEqual([
      expect.stringContaining('value="11:00"'),
      expect.stringContaining('value="10:30"')
    ])
    const asked = await browser.get("/portal/timeline/erase?day=2026-02-27&from=09:00&until=10:30")
    const fields = hidden(asked, "/portal/timeline/erase")
    const until = Timestamp.toIso(Timestamp.make(world.clock.now() + Timestamp.DAY))
    const refused = await browser.post("/portal/timeline/erase", { ...fields, until })
    expect(refused.status).toBe(400)
    expect(input(refused.text, "from")).toContain('value="09:00"')
  })

  it("the trip of a test person", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const browser = await signedIn(world, owner.account.email)
    const path = `/developer/apps/${app.id}/test-people`
    const draft = { name: "Alex", lat: "52.5", lon: "13.4", scopes: ["location.place.current"] }
    for (const name of ["Alex", "Bo"]) await browser.submit(await browser.get(path), path, { ...draft, name })
    const list = await browser.get(path)
    const [id = "", other = ""] = [...list.text.matchAll(/<li class="card" id="(\w+)"/g)].map((match) => match[1])
    const place = [...list.text.matchAll(/<option value="(plc_\w+)"/g)].map((match) => match[1])[1] ?? ""
    const trip = { trip: "leave", place, minutes: "9999", late_minutes: "17", accuracy_m: "33" }
    const again = await browser.submit(list, `${path}/${id}/trips`, trip)
    expect(again.status).toBe(400)
    const typed = (person: string) =>
      ["minutes", "late_minutes", "accuracy_m"].map(
        (name) => /value="([^"]*)"/.exec(input(again.text, `${name}-${person}`))?.[1]
      )
    expect(typed(id)).toEqual(["9999", "17", "33"])
    expect(typed(other)).toEqual(["30", "0", "10"])
    const card = again.text.split(`<li class="card" id="${id}"`)[1]?.split("<li class")[0] ?? ""
    expect(card).toMatch(/<option value="leave"\s+selected/)
    expect(card).toMatch(new RegExp(`<option value="${place}"\\s+selected`))
  })

  it("the ticks that remove headers of an endpoint", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const headers = [
      { name: "x-one", value: "1" },
      { name: "x-two", value: "2" }
    ]
    const draft = { url: "https://hooks.example.com/", events: ["rule.fired"], headers }
    const made = await owner.send("POST", `/v1/developer/apps/${app.id}/webhooks`, draft)
    expect(made.status).toBe(201)
    const path = `/developer/apps/${app.id}/webhooks/${(made.json as { readonly id: string }).id}`
    const browser = await signedIn(world, owner.account.email)
    const page = await browser.get(path)
    const again = await browser.submit(page, path, { url: "nonsense", events: ["rule.fired"], remove_header: "x-two" })
    expect(again.status).toBe(400)
    expect([isTicked(again.text, "remove-x-one"), isTicked(again.text, "remove-x-two")]).toEqual([false, true])
  })

  it("the ticks of the places of a connection", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const [home, work, gone] = await Promise.all(
      ["Home", "Work", "Gone"].map((label) =>
        world.run(RuleSamples.place(person.account.id, { label: Place.Label.make(label) }))
      )
    )
    if (home === undefined || work === undefined || gone === undefined) throw new Error("no places")
    await world.connect(person, app, { scopes: ["location.place.current"], places: [home.id] })
    const browser = await signedIn(world, person.account.email)
    const path = /\/portal\/connections\/con_\w+/.exec((await browser.get("/portal/connections")).text)?.[0] ?? ""
    const page = await browser.get(path)
    await person.send("DELETE", `/v1/user/places/${gone.id}`)
    const ticked = { place: [work.id, gone.id], earlier: [work.id] }
    const again = await browser.submit(page, `${path}/places`, ticked)
    expect(again.status).toBe(400)
    expect(
      [`place-${home.id}`, `place-${work.id}`, `earlier-${home.id}`, `earlier-${work.id}`].map((id) =>
        isTicked(again.text, id)
      )
    ).toEqual([false, true, false, true])
  })
})

describe("filters of logs", () => {
  it("of the audit log: what is no filter is 400", async () => {
    const admin = await signedIn(world, (await world.person({ roles: ["admin"] })).account.email)
    for (const query of ["account=not%20an%20id", "from=yesterday", "kind=nothing"]) {
      const page = await admin.get(`/admin/audit-log?${query}`)
      expect([query, page.status, page.text.includes("There is a problem")]).toEqual([query, 400, true])
    }
    expect((await admin.get("/admin/audit-log?kind=&account=&from=2026-02-27&to=")).status).toBe(200)
  })

  it("of the access log: the form keeps the details", async () => {
    const browser = await signedIn(world, (await world.person()).account.email)
    expect(hidden(await browser.get("/portal/access-log?details=yes"), "/portal/access-log")).toEqual({
      details: "yes"
    })
    expect(hidden(await browser.get("/portal/access-log"), "/portal/access-log")).toEqual({})
  })
})
