import { AccessLogStore } from "@place-access/domain/access-log"
import { AccessLogEntryId, AppId, ConnectionId, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signedIn } from "../support/browsing.js"
import { phone } from "../support/phone.js"
import { hidden, type Visitor } from "../support/visitor.js"
import { startWorld, type World } from "../support/World.js"

let world: World
let browser: Visitor
beforeAll(async () => {
  world = await startWorld()
  browser = await signedIn(world, (await world.person()).account.email)
})
afterAll(() => world.close())

/** The dates of the links to the month before and the month after. */
const monthsBeside = (text: string): ReadonlyArray<string | undefined> =>
  [...(/<caption>[\s\S]*?<\/caption>/.exec(text)?.[0] ?? "").matchAll(/\?day=([^"]*)"/g)].map(([, date]) => date)

describe("which app saw what on a day [timeline-2]", () => {
  it("an app whose entries do not all fit has a link to the access log, also when it has no line", async () => {
    const person = await world.person()
    const day = Timestamp.make(Date.parse("2026-02-28T00:00:00Z"))
    const entry = (app: string, minute: number) => ({
      userId: person.account.id,
      id: AccessLogEntryId.make(`log_${app}_${minute}`),
      at: Timestamp.plus(day, minute * Timestamp.MINUTE),
      appId: AppId.make(app),
      connectionId: ConnectionId.make("con_1"),
      endpoint: "GET /v1/me",
      purpose: null,
      status: 200,
      times: 1,
      error: null,
      // The page folds equal entries into one line. The number in the text makes every entry different, so every entry
      // gets its own line.
      disclosed: `Studio ${minute}`
    })
    const busy = Array.from({ length: 600 }, (_, index) => entry("app_busy", 120 + index))
    const entries = [entry("app_early", 1), ...busy, entry("app_late", 1_000)]
    await world.run(Effect.flatMap(AccessLogStore, (store) => Effect.forEach(entries, store.record)))
    const { text } = await person.get("/portal/timeline?day=2026-02-28")
    const cards = text.split(/<h3>/).slice(1)
    const of = (app: string) => cards.find((card) => card.includes(`app=${app}&`)) ?? ""
    expect(cards.length).toBe(3)
    const shown = (app: string) => [(of(app).match(/<li>/g) ?? []).length, of(app).includes("in your access log")]
    expect([shown("app_busy"), shown("app_early"), shown("app_late")]).toEqual([
      [6, true],
      [0, true],
      [1, false]
    ])
    expect(of("app_early")).not.toContain("<ul")
  })
})

describe("the calendar of a day in a year that nobody lived", () => {
  it.each([
    ["0999-06-01", ["0999-05-01", "0999-07-01"]],
    ["0001-01-15", ["0000-12-01", "0001-02-01"]],
    ["1000-01-01", ["0999-12-01", "1000-02-01"]],
    ["9999-11-30", ["9999-10-01", "9999-12-01"]]
  ])("%s", async (day, beside) => {
    const page = await browser.get(`/portal/timeline?day=${day}`)
    expect([page.status, monthsBeside(page.text)]).toEqual([200, beside])
  })

  it.each(["0000-01-01", "0000-02-29", "9999-12-31", "10000-01-01", "-001-01-01", "00-1-01-01"])("%s", async (day) => {
    const page = await browser.get(`/portal/timeline?day=${day}`)
    expect(page.status).toBe(200)
    for (const date of monthsBeside(page.text)) {
      expect([date, (await browser.get(`/portal/timeline?day=${date}`)).status]).toEqual([date, 200])
    }
  })
})

describe("the totals and the file of a day have all its readings [timeline-2]", () => {
  it("although the line on the map has only the precise ones of one phone", async () => {
    const person = await world.person()
    const [main, second] = [await phone(world, person), await phone(world, person)]
    const here = { lat: 52.37, lon: 4.89 }
    await main.at(
      here,
      [1, 2, 3].map((minutes) => minutes * Timestamp.MINUTE)
    )
    await main.at(here, [4 * Timestamp.MINUTE], 5_000)
    await second.at(here, [5 * Timestamp.MINUTE])
    const page = (await person.get("/portal/timeline?day=2026-03-01")).text
    const total = (label: string) => new RegExp(`<dt>${label}</dt>\\s*<dd>(\\d+)</dd>`).exec(page)?.[1]
    expect([total("Locations"), total("Locations on the line")]).toEqual(["5", "3"])
    expect(page).toContain("5 locations")
    const file = (await person.get("/portal/timeline.gpx?day=2026-03-01")).text
    expect([file.match(/<trkpt /g)?.length, file.match(/<trk>/g)?.length]).toEqual([5, 2])
  })

  it("a day whose readings are not on the map can be downloaded and deleted", async () => {
    const person = await world.person()
    await (await phone(world, person)).at({ lat: 52.37, lon: 4.89 }, [Timestamp.MINUTE], 5_000)
    const page = (await person.get("/portal/timeline?day=2026-03-01")).text
    expect(page).toContain("The locations of this day are not on the map")
    for (const part of ["/portal/timeline.gpx?day=2026-03-01", 'action="/portal/timeline/erase"']) {
      expect(page).toContain(part)
    }
    const empty = (await person.get("/portal/timeline?day=2026-02-01")).text
    expect([empty.includes("Nothing is known of this day."), empty.includes("timeline.gpx")]).toEqual([true, false])
  })
})

it("on the day when the clocks go back, a time that occurs twice begins at its first and ends at its last instant [retention-choice-4]", async () => {
  const person = await world.person()
  await person.send("PUT", "/v1/user/time-zone", { time_zone: "Europe/Berlin" })
  const asked = await person.get("/portal/timeline/erase?day=2025-10-26&from=02:00&until=02:30")
  expect(asked.status).toBe(200)
  const stretch = { from: "2025-10-26T00:00:00.000Z", until: "2025-10-26T01:30:00.000Z" }
  expect(hidden(asked, "/portal/timeline/erase")).toMatchObject(stretch)
})
