import { ingestFixes } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase, RuleSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { connected, type Connected, CURRENT, saying, tokensIn } from "../support/connected.js"
import { signedIn } from "../support/browsing.js"
import { north, phone, type Phone } from "../support/phone.js"
import { hidden } from "../support/visitor.js"
import type { Answer } from "../support/wire.js"
import { bearer, startWorld, type World } from "../support/World.js"

const READ = "location.visits.read"
const HOME = { lat: 52.37, lon: 4.89 }
const AWAY = north(HOME, 5_000)
const GYM = north(HOME, 2_000)
const MINUTE = 60_000

interface Page {
  readonly visits: ReadonlyArray<{
    readonly arrival: string
    readonly departure: string | null
    readonly place: { readonly label: string }
  }>
  readonly nextCursor: string | null
}

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

let one: Connected
let mine: Phone
let refreshToken: string
let token: string
/** Moves the clock by `minutes`, and then refreshes the app's tokens, which may have expired in that time. */
const pass = async (minutes: number) => {
  world.clock.advance(minutes * MINUTE)
  const fresh = tokensIn(await one.refresh(refreshToken))
  token = fresh.access_token
  refreshToken = fresh.refresh_token
}
beforeEach(async () => {
  one = await connected(world)
  mine = await phone(world, one.person)
  // The app sees only visits after the user has shared the place. So the user shares it 600 minutes before each test
  // begins.
  refreshToken = (await one.connect([READ])).refresh_token
  await pass(600)
})

const get = (query = "", as = token): Promise<Answer> => world.call(`/v1/visits${query}`, bearer(as))
const page = async (query = "", as = token): Promise<Page> => {
  const answer = await get(query, as)
  expect(answer.status).toBe(200)
  return answer.json as Page
}
const ago = (minutes: number) => new Date(world.clock.now() - minutes * MINUTE).toISOString()
const before = (...minutes: ReadonlyArray<number>) => minutes.map((one) => one * MINUTE)
/** The visits that the app reads: label, arrival and departure, in minutes before now. */
const readVisits = async (query = "", as = token) => {
  const minutes = (iso: string) => (world.clock.now() - Date.parse(iso)) / MINUTE
  return (await page(query, as)).visits.map(
    ({ arrival, departure, place }) => [place.label, minutes(arrival), departure && minutes(departure)] as const
  )
}
const stay = async (where: typeof HOME, from: number, to: number) => {
  await mine.at(where, before(from))
  await mine.at(AWAY, before(to))
}
const place = async (label: string, point: object) => {
  const { json } = await one.person.send("POST", "/v1/user/places", { label, kind: "gym", ...point })
  return (json as { readonly id: string }).id
}
const share = async (ids: ReadonlyArray<string>, earlier: ReadonlyArray<string> = []) => {
  const { id } = await one.connection()
  const places = ids.map((placeId) => ({ id: placeId, include_earlier_visits: earlier.includes(placeId) }))
  expect((await one.person.send("PUT", `/v1/user/connections/${id}/places`, { places })).status).toBe(200)
}
const disclosed = () => world.run(Effect.map(MemoryDatabase, ({ accessLog }) => accessLog.at(-1)?.disclosed))

describe("GET /v1/visits [§4.5]", () => {
  it("newest arrival first; departure is null while the visit is open; the user reads how many and where [§2.5, §4.5-visits, §4.5.4]", async () => {
    const gym = await place("Gym", GYM)
    await share([one.placeId, gym])
    await stay(HOME, 300, 200)
    await stay(GYM, 190, 100)
    await mine.at(HOME, before(60))
    expect(await page()).toEqual({
      visits: [
        { arrival: ago(60), departure: null, place: { id: one.placeId, label: "Home", kind: "home" } },
        { arrival: ago(300), departure: ago(200), place: { id: one.placeId, label: "Home", kind: "home" } }
      ],
      nextCursor: null,
      complete: true
    })
    expect(await disclosed()).toBe("2 visits to “Home”")
    await share([one.placeId, gym], [gym])
    expect(await readVisits()).toEqual([
      ["Home", 60, null],
      ["Gym", 190, 100],
      ["Home", 300, 200]
    ])
    expect(await disclosed()).toBe("3 visits to “Gym” and “Home”")
  })

  it("says nothing of uncertainty to the app; the owner reads on the timeline and at the place that the end is uncertain [visits-11]", async () => {
    await mine.at(HOME, before(400, 390, 380))
    await mine.at(north(HOME, 58_000), before(120, 110))
    const home = { id: one.placeId, label: "Home", kind: "home" }
    expect((await page()).visits).toEqual([{ arrival: ago(400), departure: ago(380), place: home }])
    const text = async (path: string, language = "en") =>
      (await one.person.get(path, { headers: { "accept-language": language } })).text.replace(/\s+/g, " ")
    const day = ago(400).slice(0, 10)
    expect(await text(`/portal/timeline?day=${day}`)).toMatch(
      /20 min at least\. Uncertain when it ended: the phone was silent from .*, and then far away/
    )
    const ofPlace = `/portal/timeline/places/${one.placeId}`
    expect(await text(ofPlace)).toMatch(
      /Uncertain\. The phone was silent from .*<td data-label="[^"]+">20 min at least/
    )
    expect(await text(ofPlace, "de")).toMatch(/Ungewiss\. Das Handy schwieg ab/)
  })

  it("without a visit: an empty list, and the user reads that", async () => {
    expect(await page()).toEqual({ visits: [], nextCursor: null, complete: true })
    expect(await disclosed()).toBe("that there were no visits to tell of")
  })

  it("rule 1: stops elsewhere, and at places that are not shared, change nothing that the app can see [§4.5.1]", async () => {
    await place("Gym", GYM)
    await stay(HOME, 300, 200)
    await stay(HOME, 30, 20)
    const seen = async () => [(await get()).text, (await get("?limit=1")).text]
    const alone = await seen()
    await stay(GYM, 190, 100)
    await stay(north(HOME, 3_000), 90, 40)
    expect(await seen()).toEqual(alone)
  })

  it("rule 3: none from before the place was shared, unless the user included earlier visits [§4.5.3]", async () => {
    const gym = await place("Gym", GYM)
    await stay(GYM, 300, 200)
    await share([gym])
    await pass(100)
    await mine.at(GYM, before(100, 50))
    expect(await readVisits()).toEqual([["Gym", 100, null]])
    await share([gym], [gym])
    expect(await readVisits()).toEqual([
      ["Gym", 100, null],
      ["Gym", 400, 300]
    ])
  })

  it("rule 5: a renamed place gives its new label to past visits; an archived one keeps its label and has no new visits [§4.5.5]", async () => {
    await stay(HOME, 300, 200)
    await one.person.send("PATCH", `/v1/user/places/${one.placeId}`, { label: "Den" })
    expect(await readVisits()).toEqual([["Den", 300, 200]])
    await mine.at(HOME, before(150))
    await one.person.send("DELETE", `/v1/user/places/${one.placeId}`)
    await pass(60)
    await mine.at(AWAY, before(50))
    await stay(HOME, 40, 20)
    expect(await readVisits()).toEqual([
      ["Den", 210, 50],
      ["Den", 360, 260]
    ])
  })

  it("rule 5: the visits of an archived place outlast a reconnect, PUT …/places and the portal's form, and the version stays [§3.1-change]", async () => {
    const gym = await place("Gym", GYM)
    await share([one.placeId, gym], [gym])
    await stay(GYM, 300, 200)
    await one.person.send("DELETE", `/v1/user/places/${gym}`)
    await stay(HOME, 190, 180)
    const known = [
      ["Home", 190, 180],
      ["Gym", 300, 200]
    ]
    expect(await readVisits()).toEqual(known)
    const version = async () => ((await one.me(token)).json as { readonly places_version: number }).places_version
    const before = await version()

    ;({ access_token: token } = await one.connect([READ], { places: [one.placeId] }))
    await share([one.placeId])
    const browser = await signedIn(world, one.person.account.email)
    const path = `/portal/connections/${(await one.connection()).id}`
    const page = await browser.get(path)
    expect(Object.keys(hidden(page, `${path}/places`))).toEqual(["form_token", "was_shared", "was_earlier"])
    const saved = await browser.submit(page, `${path}/places`, { place: one.placeId })
    expect([saved.status, saved.headers.get("location")]).toEqual([303, `${path}?done=shared`])
    expect([await readVisits(), await version()]).toEqual([known, before])
  })

  it("rule 6: an offline phone's backlog adds visits, whatever was answered before [§4.5.6]", async () => {
    await mine.at(HOME, before(60))
    expect(await readVisits()).toEqual([["Home", 60, null]])
    await stay(HOME, 300, 200)
    expect(await readVisits()).toEqual([
      ["Home", 60, null],
      ["Home", 300, 200]
    ])
    await mine.at(AWAY, before(30))
    expect(await readVisits()).toEqual([
      ["Home", 60, 30],
      ["Home", 300, 200]
    ])
  })

  it("a place moved: visits stay what they were, and none appear in the past at its new circle [§4.5.5]", async () => {
    await stay(HOME, 300, 200)
    await stay(GYM, 190, 100)
    await one.person.send("PATCH", `/v1/user/places/${one.placeId}`, GYM)
    expect(await readVisits()).toEqual([["Home", 300, 200]])
    await pass(60)
    await stay(GYM, 50, 40)
    await stay(HOME, 30, 20)
    expect(await readVisits()).toEqual([
      ["Home", 50, 40],
      ["Home", 360, 260]
    ])
  })

  it("rule 7: a stop that a phone tells is what it says; what its fixes show elsewhere or at other times is listed beside it [§4.5.7]", async () => {
    const device = await world.run(RuleSamples.device(one.person.account.id))
    const upload = (
      fixes: ReadonlyArray<readonly [number, typeof HOME]>,
      visits: ReadonlyArray<readonly [number | null, number | null, typeof HOME]>
    ) => {
      const at = (minutes: number) => Timestamp.make(world.clock.now() - minutes * MINUTE)
      const nullable = (minutes: number | null) => (minutes === null ? null : at(minutes))
      const readings = fixes.map(([minutes, where]) => ({ ...where, capturedAt: at(minutes), accuracyM: 10 }))
      const reports = visits.map(([from, to, where]) => ({
        ...where,
        arrival: nullable(from),
        departure: nullable(to),
        accuracyM: 30
      }))
      return world.run(ingestFixes(device, readings, reports))
    }
    await upload(
      [
        [300, HOME],
        [200, AWAY],
        [90, HOME]
      ],
      []
    )
    expect(await readVisits()).toEqual([
      ["Home", 90, null],
      ["Home", 300, 200]
    ])
    await upload([], [[290, null, HOME]])
    // The phone reports an arrival without a departure. The service takes the departure from the phone's readings.
    expect(await readVisits()).toEqual([
      ["Home", 90, null],
      ["Home", 290, 200]
    ])
    await upload([], [[190, null, AWAY]])
    expect(await readVisits()).toEqual([
      ["Home", 90, null],
      ["Home", 290, 200]
    ])
    await upload(
      [],
      [
        [290, 205, HOME],
        [80, null, HOME],
        [null, 70, HOME]
      ]
    )
    expect(await readVisits()).toEqual([
      ["Home", 80, 70],
      ["Home", 290, 205]
    ])
    // The other phone reports no visits, so its stays are derived as usual.
    await stay(HOME, 60, 50)
    expect((await readVisits())[0]).toEqual(["Home", 60, 50])
  })

  it("from is inclusive, to exclusive, both by arrival [§4.5-visits]", async () => {
    for (const minutes of [300, 200, 100]) await stay(HOME, minutes, minutes - 50)
    expect(await readVisits(`?from=${ago(200)}&to=${ago(100)}`)).toEqual([["Home", 200, 150]])
    expect(await readVisits(`?from=${ago(300)}&to=${ago(200)}`)).toEqual([["Home", 300, 250]])
    expect(await readVisits(`?to=${ago(300)}`)).toEqual([])
  })

  it("pages are filled up and follow one another; only the last has no cursor [§4.5-visits, §4.5.2]", async () => {
    for (let minutes = 500; minutes > 100; minutes -= 40) {
      await stay(HOME, minutes, minutes - 10)
      await stay(GYM, minutes - 15, minutes - 25)
    }
    const all = await page()
    expect(all.visits).toHaveLength(10)
    expect(all.nextCursor).toBeNull()
    const pages: Array<Page> = []
    for (let cursor: string | null = ""; cursor !== null; cursor = pages.at(-1)?.nextCursor ?? null) {
      pages.push(await page(`?limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`))
    }
    expect(pages.map(({ visits }) => visits.length)).toEqual([4, 4, 2])
    expect(pages.flatMap(({ visits }) => visits)).toEqual(all.visits)
  })

  it("a cursor is good for its connection, from and to alone, and cannot be changed [§4.5-visits, visits-9]", async () => {
    for (const minutes of [300, 200, 100]) await stay(HOME, minutes, minutes - 50)
    const from = `from=${ago(400)}`
    const { nextCursor } = await page(`?limit=1&${from}`)
    expect((await page(`?limit=2&${from}&cursor=${nextCursor}`)).visits).toHaveLength(2)
    const other = await connected(world)
    const otherToken = (await other.connect([READ])).access_token
    for (const [query, as] of [
      [`?cursor=${nextCursor}`, token],
      [`?${from}&to=${ago(0)}&cursor=${nextCursor}`, token],
      [`?${from}&cursor=${nextCursor}`, otherToken],
      [`?${from}&cursor=${nextCursor}x`, token],
      [`?${from}&cursor=1`, token],
      [`?${from}&cursor=${"1".repeat(3_000)}`, token]
    ] as const) {
      const answer = await get(query, as)
      expect(saying(answer)).toEqual([400, "validation_failed"])
      expect(answer.json).toMatchObject({ message: "cursor was not issued for this list; start again without it" })
    }
  })

  it("what is wrong with a query is named, all of it at once; limit is 1 to 500 [§4.5-visits, §8-visits-limit]", async () => {
    const answer = await get("?from=yesterday&to=2026-13-01T00:00:00Z&limit=501")
    expect(saying(answer)).toEqual([400, "validation_failed"])
    const { message } = answer.json as { readonly message: ReadonlyArray<string> }
    expect(message.map((text) => text.split(" ")[0]).sort()).toEqual(["from", "limit", "to"])
    expect(saying(await get("?limit=0"))).toEqual([400, "validation_failed"])
    expect((await get("?limit=500")).status).toBe(200)
  })

  it("a span without an instant is refused [M11]", async () => {
    for (const query of [`?from=${ago(100)}&to=${ago(200)}`, `?from=${ago(100)}&to=${ago(100)}`]) {
      const answer = await get(query)
      expect(saying(answer)).toEqual([400, "validation_failed"])
      expect(answer.json).toMatchObject({ message: "to must be after from" })
    }
  })

  it("needs location.visits.read", async () => {
    const { access_token } = await one.connect([CURRENT])
    expect(saying(await get("", access_token))).toEqual([403, "missing_scope"])
  })
})
