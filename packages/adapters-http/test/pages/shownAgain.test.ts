import { FixHistory } from "@place-access/domain/fixes"
import { Place } from "@place-access/domain/places"
import { archivePurpose } from "@place-access/domain/purposes"
import { Timestamp, UserId } from "@place-access/domain/shared"
import { Fixtures, RuleSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { hidden } from "../support/visitor.js"
import { bearer, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** The tag of the page's input with the id `id`. */
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
    expect(input(page.text, "until")).toMatch(/aria-describedby="until-fault"[^>]*aria-invalid="true"/)
    const requested = await browser.get("/portal/timeline/erase?day=2026-02-27&from=09:00&until=10:30")
    const fields = hidden(requested, "/portal/timeline/erase")
    const until = Timestamp.toIso(Timestamp.make(world.clock.now() + Timestamp.DAY))
    const refused = await browser.post("/portal/timeline/erase", { ...fields, until })
    expect(refused.status).toBe(400)
    expect(input(refused.text, "from")).toContain('value="09:00"')
  })

  it("the end of a day stays the end of the day: a time field cannot show 24:00", async () => {
    const browser = await signedIn(world, (await world.person()).account.email)
    const refused = await browser.get("/portal/timeline/erase?day=2026-03-09&from=18:00&until=24:00")
    expect([refused.status, input(refused.text, "until")]).toEqual([400, expect.stringContaining('value="00:00"')])
    const repeated = await browser.get("/portal/timeline/erase?day=2026-02-27&from=18:00&until=00:00")
    expect(repeated.status).toBe(200)
    expect(hidden(repeated, "/portal/timeline/erase")).toMatchObject({ until: "2026-02-28T00:00:00.000Z" })
  })

  it("the form for the trip of a test person", async () => {
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
    const repeated = await browser.submit(list, `${path}/${id}/trips`, trip)
    expect(repeated.status).toBe(400)
    const typed = (person: string) =>
      ["minutes", "late_minutes", "accuracy_m"].map(
        (name) => /value="([^"]*)"/.exec(input(repeated.text, `${name}-${person}`))?.[1]
      )
    expect(typed(id)).toEqual(["9999", "17", "33"])
    expect(typed(other)).toEqual(["30", "0", "10"])
    const card = repeated.text.split(`<li class="card" id="${id}"`)[1]?.split("<li class")[0] ?? ""
    expect(card).toMatch(/<option value="leave"\s+selected/)
    expect(card).toMatch(new RegExp(`<option value="${place}"\\s+selected`))
  })

  it("redirect URIs: the fault names the line as the form shows it, in which empty lines count", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const path = `/developer/apps/${app.id}`
    const browser = await signedIn(world, owner.account.email)
    const text = "https://a.example/cb\r\n\r\n  http://b.example/cb\r\n"
    const repeated = await browser.submit(await browser.get(path), `${path}/redirect-uris`, { redirect_uris: text })
    expect(repeated.status).toBe(400)
    expect(new Set(repeated.text.match(/in line \d/g))).toEqual(new Set(["in line 3"]))
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
    const repeated = await browser.submit(page, path, {
      url: "nonsense",
      events: ["rule.fired"],
      remove_header: "x-two"
    })
    expect(repeated.status).toBe(400)
    expect([isTicked(repeated.text, "remove-x-one"), isTicked(repeated.text, "remove-x-two")]).toEqual([false, true])
  })

  it("a permission for which the app has no purpose now: the page says to leave it out [connection-9]", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const purpose = await world.run(Fixtures.purpose(app.id, "finding_coffee"))
    await world.connect(person, app, { scopes: ["location.place.current", "location.lookup"] })
    const browser = await signedIn(world, person.account.email)
    const path = /\/portal\/connections\/con_\w+/.exec((await browser.get("/portal/connections")).text)?.[0] ?? ""
    await browser.submit(await browser.get(path), `${path}/exact-location/end`)
    const page = await browser.get(path)
    await world.run(archivePurpose(person.account, app.id, purpose.id))
    const scopes = ["location.place.current", "location.lookup"]
    const repeated = await browser.submit(page, `${path}/permissions`, { scopes })
    expect(repeated.status).toBe(400)
    expect(repeated.text).toContain("What it can do cannot include what needs a purpose: the app has none for it now")
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
    const repeated = await browser.submit(page, `${path}/places`, ticked)
    expect(repeated.status).toBe(400)
    expect(
      [`place-${home.id}`, `place-${work.id}`, `earlier-${home.id}`, `earlier-${work.id}`].map((id) =>
        isTicked(repeated.text, id)
      )
    ).toEqual([false, true, false, true])
  })
})

describe("whole numbers with thousands, as the hints write them", () => {
  it("the daily volume of a purpose: 1,000 is a thousand, and 1,5 is refused", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const browser = await signedIn(world, owner.account.email)
    const [page, path] = [`/developer/apps/${app.id}`, `/developer/apps/${app.id}/purposes`]
    const purpose = { purpose_description: "To have your coffee ready.", purpose_scopes: ["location.latest.read"] }
    const add = async (key: string, volume: string) =>
      browser.submit(await browser.get(page), path, { ...purpose, key, expected_daily_volume: volume })
    const refused = await add("wrong", "1,5")
    expect([refused.status, refused.text.includes("must be a whole number")]).toEqual([400, true])
    expect((await add("english", "1,000")).status).toBe(303)
    expect((await add("german", "10.000")).status).toBe(303)
    const { purposes } = (await owner.get(`/v1/developer/apps/${app.id}/purposes`)).json as {
      readonly purposes: ReadonlyArray<object>
    }
    expect(purposes).toMatchObject([{ expected_daily_volume: 1_000 }, { expected_daily_volume: 10_000 }])
  })

  it("the trip of a test person: an accuracy of 1.000 is not one metre", async () => {
    const owner = await world.person()
    const { app } = await world.app(owner)
    const browser = await signedIn(world, owner.account.email)
    const path = `/developer/apps/${app.id}/test-people`
    const draft = { name: "Alex", lat: "52.5", lon: "13.4", scopes: ["location.place.current"] }
    await browser.submit(await browser.get(path), path, draft)
    const list = await browser.get(path)
    const id = /<li class="card" id="(\w+)"/.exec(list.text)?.[1] ?? ""
    const place = /<option value="(plc_\w+)"/.exec(list.text)?.[1] ?? ""
    const trip = { trip: "arrive", place, minutes: "30", late_minutes: "0", accuracy_m: "10.001" }
    const repeated = await browser.submit(list, `${path}/${id}/trips`, trip)
    expect([repeated.status, repeated.text.includes("must be a whole number from 1 to 10000")]).toEqual([400, true])
    const sent = await browser.submit(list, `${path}/${id}/trips`, { ...trip, accuracy_m: "1.000" })
    expect(sent.status).toBe(303)
    const [newest] = await world.run(
      Effect.flatMap(FixHistory, (history) =>
        history.newest(UserId.make(id), Timestamp.make(world.clock.now()), { from: null, until: null }, 1)
      )
    )
    expect(newest?.accuracyM).toBe(1_000)
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

  it("of the access log: what is no app or no purpose is 400, on the page and in the file [access-log-5]", async () => {
    const person = await world.person()
    const browser = await signedIn(world, person.account.email)
    for (const query of ["app=not%20an%20id", "purpose=not%20an%20id", "app=app_1&from=yesterday"]) {
      const page = await browser.get(`/portal/access-log?${query}`)
      expect([query, page.status, page.text.includes("There is a problem")]).toEqual([query, 400, true])
      expect(page.text).toContain('<a href="/portal/access-log">Show everything</a>')
      expect((await browser.get(`/portal/access-log.csv?${query}`)).status).toBe(400)
    }
    // The page does not apply a filter that it cannot read, and lists all entries. Then the page must not offer the CSV
    // file, because a request for the CSV file with this filter fails.
    const { app } = await world.app(person)
    const { accessToken } = await world.connect(person, app, { scopes: ["location.place.current"] })
    expect((await world.call("/v1/me", bearer(accessToken))).status).toBe(200)
    const listed = await browser.get("/portal/access-log")
    expect(listed.text).toContain('href="/portal/access-log.csv"')
    const unread = await browser.get("/portal/access-log?from=yesterday")
    expect([unread.text.includes("Show technical details"), unread.text.includes("access-log.csv")]).toEqual([
      true,
      false
    ])
    // The filter names an app that never called, so the form does not offer this app. The page must report a problem,
    // and must not say that the app asked nothing.
    const unknown = await browser.get("/portal/access-log?app=app_1")
    expect([unknown.status, unknown.text.includes("There is a problem")]).toEqual([400, true])
    expect(unknown.text).not.toContain("No app has asked anything here.")
    // A range of days in which the log has no entries is no mistake: the page must say that nothing was found.
    const none = await browser.get("/portal/access-log?from=2000-01-01&to=2000-01-02")
    expect([none.status, none.text.includes("No app has asked anything here.")]).toEqual([200, true])
  })
})
