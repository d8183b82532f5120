import { describe, expect, it } from "vitest"
import { Ana, DAY, FAR, HOME, HOUR, MINUTE, names, north, ok, SECOND } from "./home.js"

interface Visit {
  readonly arrival: number
  readonly departure?: number | null
  readonly place?: unknown
}

const page = (
  ana: Ana,
  visits: ReadonlyArray<Visit>,
  over: { cursor?: string | null; next?: string | null; limit?: number; from?: number; to?: number } = {}
) => {
  const { cursor = null, from = null, limit = 2, next = null, to = null } = over
  const request = { endpoint: "GET /v1/visits", from, to, limit, cursor } as const
  const place = { id: ana.placeId, label: "Home", kind: "home" }
  const items = visits.map((visit) => ({ departure: null, place, ...visit }))
  return ana.call(ana.appId, ana.token, 200, request, { body: { visits: items, nextCursor: next } })
}

describe("V1: where a visit is", () => {
  it("is a place that is shared now", () => {
    const ana = new Ana()
    page(ana, [{ arrival: ana.t }])
    expect(ana.broken).toEqual({})
    ana.shareAgain([], [])
    page(ana, [{ arrival: ana.t }])
    expect(names(ana.broken)).toEqual(["V1"])
  })
  it("a visit without a place is reported", () => {
    const ana = new Ana()
    page(ana, [{ arrival: ana.t, place: null }])
    expect(names(ana.broken)).toEqual(["V1"])
  })
  it("may be a place that is withdrawn meanwhile", () => {
    const ana = new Ana()
    const { connectionId, userId } = ana
    const sharing = ana.begin("sharePlaces", { userId, connectionId, places: [] })
    page(ana, [{ arrival: ana.t }])
    ana.end(sharing, "sharePlaces", ok({ placesVersion: 2 }))
    expect(ana.broken).toEqual({})
  })
})

describe("V2: pages", () => {
  it("are full unless they are the last", () => {
    const ana = new Ana()
    page(ana, [{ arrival: ana.t + 2 }, { arrival: ana.t + 1 }], { next: "c1" })
    page(ana, [{ arrival: ana.t }], { cursor: "c1" })
    expect(ana.broken).toEqual({})
    page(ana, [{ arrival: ana.t }], { next: "c2" })
    expect(names(ana.broken)).toEqual(["V2"])
  })
  it("tell no more of a visit than its times and its place", () => {
    const ana = new Ana()
    page(ana, [{ arrival: ana.t, lat: 50 } as Visit])
    expect(names(ana.broken)).toEqual(["V2"])
  })
})

describe("V3: from before the place was shared", () => {
  const before = (ms: number, earlier: boolean) => {
    const ana = new Ana()
    ana.shareAgain([])
    ana.after(HOUR)
    ana.shareAgain([ana.placeId], earlier ? [ana.placeId] : [])
    const shared = ana.t
    ana.after(MINUTE)
    page(ana, [{ arrival: shared - ms }])
    return names(ana.broken)
  }

  it("a visit from before the place was shared is reported", () => expect(before(1, false)).toEqual(["V3"]))
  it("the moment itself is not before", () => expect(before(0, false)).toEqual([]))
  it("all is answered when the user included it", () => expect(before(DAY, true)).toEqual([]))
})

describe("V4: a walk", () => {
  it("tells nothing twice, newest first", () => {
    const ana = new Ana()
    page(ana, [{ arrival: ana.t + 3 }, { arrival: ana.t + 2 }], { next: "c1" })
    page(ana, [{ arrival: ana.t + 1 }], { cursor: "c1" })
    expect(ana.broken).toEqual({})
    page(ana, [{ arrival: ana.t + 2 }], { cursor: "c1" })
    expect(names(ana.broken)).toEqual(["V4"])
  })
  it("tells what was asked for: from inclusive, to exclusive", () => {
    const ana = new Ana()
    page(ana, [{ arrival: ana.t }], { from: ana.t, to: ana.t + 1 })
    expect(ana.broken).toEqual({})
    page(ana, [{ arrival: ana.t }], { to: ana.t })
    expect(names(ana.broken)).toEqual(["V4"])
  })

  const uploadVisit = (over: { lat?: number } = {}) => {
    const ana = new Ana()
    const { deviceId, userId } = ana
    const arrival = ana.t
    ana.after(HOUR)
    const visits = [{ arrival, departure: arrival + MINUTE, ...HOME, ...over }]
    ana.op("upload", { userId, deviceId, fixes: [], visits }, ok({ accepted: 0, duplicates: 0, quarantined: 0 }))
    return { ana, arrival }
  }
  it("tells every visit that the phone told of", () => {
    const { ana, arrival } = uploadVisit()
    page(ana, [{ arrival, departure: arrival + MINUTE }])
    expect(ana.broken).toEqual({})
    page(ana, [])
    expect(names(ana.broken)).toEqual(["V4"])
  })
  it("a page without a visit that was elsewhere is right", () => {
    const { ana } = uploadVisit({ lat: FAR.lat })
    page(ana, [])
    expect(ana.broken).toEqual({})
  })
  it("none that is outside of what was asked for", () => {
    const { ana, arrival } = uploadVisit()
    page(ana, [], { from: arrival + 1 })
    expect(ana.broken).toEqual({})
  })
  it("says nothing while things change", () => {
    const { ana } = uploadVisit()
    const { connectionId, userId } = ana
    const sharing = ana.begin("sharePlaces", { userId, connectionId, places: [] })
    page(ana, [])
    ana.end(sharing, "sharePlaces", ok({ placesVersion: 2 }))
    expect(ana.broken).toEqual({})
  })
})

describe("V5: names", () => {
  it("a visit has the present name of its place", () => {
    const ana = new Ana()
    const { placeId, userId } = ana
    ana.op("updatePlace", { userId, placeId, label: "Flat", kind: "home", ...HOME, radiusM: 200 }, ok(null))
    const flat = { id: placeId, label: "Flat", kind: "home" }
    page(ana, [{ arrival: ana.t, place: flat }])
    ana.op("archivePlace", { userId, placeId }, ok(null))
    page(ana, [{ arrival: ana.t, place: flat }])
    expect(ana.broken).toEqual({})
    page(ana, [{ arrival: ana.t, place: { ...flat, label: "Home" } }])
    expect(names(ana.broken)).toEqual(["V5"])
  })
})

describe("V6: the place at a moment", () => {
  const looking = (at: number, over: Record<string, unknown>, toleranceS = 900) => {
    const ana = new Ana()
    const seen = ana.t
    ana.after(HOUR)
    ana.send(ana.reading(HOME, seen), ana.reading(FAR, seen + 10 * MINUTE))
    const place = { id: ana.placeId, label: "Home", kind: "home" }
    const asOf = over["asOf"] === undefined ? seen : seen + Number(over["asOf"])
    const body = { matched: true, place, deltaSeconds: 0, ...over, asOf: over["asOf"] === null ? null : asOf }
    const request = { endpoint: "GET /v1/lookup/place", at: seen + at, toleranceS } as const
    ana.call(ana.appId, ana.token, 200, request, { body })
    return names(ana.broken)
  }
  const nothing = { matched: false, place: null, deltaSeconds: null, asOf: null }
  const elsewhere = { matched: false, place: null, asOf: 10 * MINUTE }

  it("is that of the nearest fix", () => {
    expect(looking(4 * MINUTE, { deltaSeconds: 240 })).toEqual([])
    expect(looking(6 * MINUTE, { ...elsewhere, deltaSeconds: 240 })).toEqual([])
    expect(looking(6 * MINUTE, { deltaSeconds: 360 })).toEqual(["V6"])
  })
  it("of the earlier of two that are equally near", () => {
    expect(looking(5 * MINUTE, { deltaSeconds: 300 })).toEqual([])
    expect(looking(5 * MINUTE, { ...elsewhere, deltaSeconds: 300 })).toEqual(["V6"])
  })
  it("within the tolerance, its end included; the gap is rounded down", () => {
    expect(looking(-60 * SECOND, { deltaSeconds: 60 }, 60)).toEqual([])
    expect(looking(-60 * SECOND, nothing, 60)).toEqual(["V6"])
    expect(looking(-60 * SECOND - 1, nothing, 60)).toEqual([])
    expect(looking(-1_999, { deltaSeconds: 1 })).toEqual([])
    expect(looking(-1_999, { deltaSeconds: 2 })).toEqual(["V6"])
  })
  it("matched says whether there is one, and there is one where the fix lies in it", () => {
    expect(looking(0, { matched: false })).toEqual(["V6"])
    expect(looking(0, { matched: false, place: null })).toEqual(["V6"])
    expect(looking(10 * MINUTE, { asOf: 10 * MINUTE })).toEqual(["V6"])
  })
  it("goes by the circle of then, and by the smaller of two", () => {
    const ana = new Ana()
    const seen = ana.t
    ana.send(ana.reading(north(150)))
    ana.after(MINUTE)
    const { placeId, userId } = ana
    ana.op("updatePlace", { userId, placeId, label: "Home", kind: "home", ...FAR, radiusM: 200 }, ok(null))
    const wide = ana.place("Town", { ...HOME, radiusM: 5_000 })
    ana.shareAgain([placeId, wide])
    const look = (id: string, label: string) => {
      const body = { matched: true, place: { id, label, kind: "home" }, asOf: seen, deltaSeconds: 0 }
      ana.call(ana.appId, ana.token, 200, { endpoint: "GET /v1/lookup/place", at: seen, toleranceS: 900 }, { body })
      return names(ana.broken)
    }
    expect(look(placeId, "Home")).toEqual([])
    expect(look(wide, "Town")).toEqual(["V6"])
  })
})

describe("V7: a place that is not visible", () => {
  const ask = (ana: Ana, placeId: string, status: number, body: Record<string, unknown> = {}) =>
    ana.call(
      ana.appId,
      ana.token,
      status,
      { endpoint: "GET /v1/answers/places/{place_id}/presence", placeId, maxAgeS: 900 },
      { error: "not_found", body }
    )

  it("is the same 404, unknown or withdrawn", () => {
    const ana = new Ana()
    ask(ana, "nowhere", 404)
    ana.shareAgain([])
    ask(ana, ana.placeId, 404)
    expect(ana.broken).toEqual({})
    ask(ana, ana.placeId, 404, { withdrawn_at: 1 })
    expect(names(ana.broken)).toEqual(["V7"])
  })
  it("an answer about a place that is not visible is reported", () => {
    const ana = new Ana()
    ana.shareAgain([])
    ask(ana, ana.placeId, 200)
    expect(names(ana.broken)).toEqual(["V7"])
  })
})
