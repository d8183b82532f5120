import { describeHistory } from "@place-access/domain/retention-choice"
import { sweepHistory } from "@place-access/domain/sweeps"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { Scope, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bearer, PASSWORD, type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const { DAY, MINUTE } = Timestamp
const iso = (millis: number) => new Date(millis).toISOString()

/**
 * A new phone of the person uploads readings: at one place for each time of `times`, and at another place for each time
 * of `elsewhere`.
 */
const sent = async (person: Person, times: ReadonlyArray<number>, elsewhere: ReadonlyArray<number> = []) => {
  const added = await person.send("POST", "/v1/user/devices", { name: "Phone", format: "json" })
  const { token } = added.json as { readonly token: string }
  const location = (lat: number) => (at: number) => ({ captured_at: iso(at), lat, lon: 13.405, accuracy_m: 10 })
  const locations = [...times.map(location(52.52)), ...elsewhere.map(location(52.6))]
  const answer = await world.call("/v1/phone/locations", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ locations })
  })
  expect(answer.json).toMatchObject({ accepted: locations.length })
}

/** Scopes with which an app may look back: raw history, where a user was at a moment, visits, and why a rule fired. */
const SCOPES = [
  "location.history.read",
  "location.lookup",
  "location.place.lookup",
  "location.visits.read",
  "location.rules.place"
]

const fixes = async (person: Person) => (await world.run(describeHistory(person.account.id))).fixes

describe("GET, PUT /v1/user/history", () => {
  it("without a limit unless chosen; 30, 90, 365 or null, which is without a limit [M3-default]", async () => {
    const person = await world.person()
    const since = (days: number) => iso(world.clock.now() - days * DAY)
    expect((await person.get("/v1/user/history")).json).toEqual({ keep_days: null, kept_since: null })
    for (const keep_days of [30, 365, 90]) {
      const answer = await person.send("PUT", "/v1/user/history", { keep_days })
      expect([answer.status, answer.json]).toEqual([200, { keep_days, kept_since: since(keep_days) }])
    }
    await person.send("PUT", "/v1/user/history", { keep_days: null })
    expect((await person.get("/v1/user/history")).json).toEqual({ keep_days: null, kept_since: null })
    await person.send("PUT", "/v1/user/history", { keep_days: 30 })
    expect((await (await world.person()).get("/v1/user/history")).json).toMatchObject({ keep_days: null })
  })

  it.each([[{}], [{ keep_days: 31 }], [{ keep_days: "90" }], [{ keep_days: 0 }], [{ keep_days: [90] }]])(
    "%j is 400 and changes nothing",
    async (body) => {
      const person = await world.person()
      await person.send("PUT", "/v1/user/history", { keep_days: 90 })
      const answer = await person.send("PUT", "/v1/user/history", body)
      expect(answer).toMatchObject({ status: 400, json: { error: "validation_failed" } })
      expect((answer.json as { readonly message: string }).message).toMatch(/^keep_days /)
      expect((await person.get("/v1/user/history")).json).toMatchObject({ keep_days: 90 })
    }
  )

  it("a shorter choice counts at once and deletes with the next sweep; a longer one brings nothing back [retention-choice-1]", async () => {
    const person = await world.person()
    const now = world.clock.now()
    await sent(person, [now - 90 * DAY, now - 90 * DAY + 1, now - 30 * DAY, now - 30 * DAY + 1, now])
    expect(await fixes(person)).toBe(5)
    await person.send("PUT", "/v1/user/history", { keep_days: 90 })
    expect(await fixes(person)).toBe(4)
    await person.send("PUT", "/v1/user/history", { keep_days: 30 })
    expect(await fixes(person)).toBe(2)
    await person.send("PUT", "/v1/user/history", { keep_days: 90 })
    expect(await fixes(person)).toBe(4)
    await person.send("PUT", "/v1/user/history", { keep_days: 30 })
    await world.run(Effect.flatMap(Timestamp.now, sweepHistory))
    await person.send("PUT", "/v1/user/history", { keep_days: null })
    expect(await fixes(person)).toBe(2)
  })
})

describe("GET, POST /v1/user/history/erasures [retention-choice-4]", () => {
  it("deletes a stretch for good: what the phone sends again of it is not kept", async () => {
    const person = await world.person()
    const now = world.clock.now()
    const hour = (before: number) => now - before * Timestamp.HOUR
    const times = [hour(4), hour(3), hour(2), hour(1)]
    await sent(person, times)
    const stretch = { from: iso(hour(3)), until: iso(hour(1)) }
    const answer = await person.send("POST", "/v1/user/history/erasures", stretch)
    const erasures = { erasures: [{ ...stretch, erased_at: iso(now) }] }
    expect([answer.status, answer.json]).toEqual([200, erasures])
    expect((await person.get("/v1/user/history/erasures")).json).toEqual(erasures)
    expect(await fixes(person)).toBe(2)
    const added = await person.send("POST", "/v1/user/devices", { name: "Other", format: "json" })
    const { token } = added.json as { readonly token: string }
    const locations = times.map((at) => ({ captured_at: iso(at), lat: 52.5, lon: 13.4, accuracy_m: 10 }))
    const repeated = await world.call("/v1/phone/locations", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ locations })
    })
    expect(repeated.json).toEqual({ accepted: 2, duplicates: 0, quarantined: 2 })
    expect((await (await world.person()).get("/v1/user/history/erasures")).json).toEqual({ erasures: [] })
  })

  it.each([
    [{ from: -1, until: 1 }, /^until must not be in the future/],
    [{ from: -1, until: -1 }, /^until must be later than from/],
    [{ from: -32 * 24, until: -1 }, /^until must be at most 31 days/],
    [{ from: -1, until: undefined }, /^until /]
  ])("%j hours is 400, names the field and deletes nothing", async ({ from, until }, message) => {
    const person = await world.person()
    const hour = (after: number) => iso(world.clock.now() + after * Timestamp.HOUR)
    await sent(person, [world.clock.now() - Timestamp.MINUTE])
    const body = { from: hour(from), ...(until === undefined ? {} : { until: hour(until) }) }
    const answer = await person.send("POST", "/v1/user/history/erasures", body)
    expect(answer).toMatchObject({ status: 400, json: { error: "validation_failed" } })
    expect((answer.json as { readonly message: string }).message).toMatch(message)
    expect(await fixes(person)).toBe(1)
    expect((await person.get("/v1/user/history/erasures")).json).toEqual({ erasures: [] })
  })
})

describe("a reading older than the choice (M3)", () => {
  it("is answered as put aside, never as accepted; kept without a limit, every moment can be asked about [M3-aside]", async () => {
    const person = await world.person()
    const added = await person.send("POST", "/v1/user/devices", { name: "Phone", format: "json" })
    const { token } = added.json as { readonly token: string }
    const upload = async (ago: number) => {
      const at = (millis: number) => iso(world.clock.now() - millis)
      const locations = [{ captured_at: at(ago), lat: 52.52, lon: 13.405, accuracy_m: 10 }]
      const visits = [{ arrival: at(ago + 1), departure: at(ago), lat: 52.52, lon: 13.405 }]
      const body = JSON.stringify({ locations, visits })
      const headers = { ...bearer(token).headers, "content-type": "application/json" }
      return (await world.call("/v1/phone/locations", { method: "POST", headers, body })).json
    }
    expect(await upload(5_000 * DAY)).toEqual({ accepted: 1, duplicates: 0, quarantined: 0 })
    await world.run(Effect.flatMap(Timestamp.now, sweepHistory))
    expect(await fixes(person)).toBe(1)
    await person.send("PUT", "/v1/user/history", { keep_days: 30 })
    expect(await upload(30 * DAY)).toEqual({ accepted: 0, duplicates: 0, quarantined: 2 })
    expect(await upload(30 * DAY - 1)).toEqual({ accepted: 1, duplicates: 0, quarantined: 0 })
    await person.send("PUT", "/v1/user/history", { keep_days: null })
    expect(await fixes(person)).toBe(2)
  })
})

describe("what is past the choice", () => {
  it("is in no answer to an app from that millisecond on, long before anything is deleted [retention-choice-1]", async () => {
    const person = await world.person()
    const { app } = await world.app(person)
    const terms = { description: "To look back with you.", scopes: Scope.sensitive, expectedDailyVolume: 20 }
    await world.run(createPurpose(person.account, app.id, { key: Purpose.PurposeKey.make("look_back"), terms }))
    const made = await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", lat: 52.52, lon: 13.405 })
    const { id: placeId } = made.json as { readonly id: string }
    const connect = () =>
      world.connect(person, app, {
        scopes: SCOPES,
        places: [placeId],
        earlier: [placeId],
        standardDays: "never",
        sensitiveDays: "90"
      })
    const before = await connect()
    const rule = await world.call("/v1/rules/place", {
      method: "POST",
      headers: { ...bearer(before.accessToken).headers, "content-type": "application/json" },
      body: JSON.stringify({ type: "enter", place_id: placeId })
    })
    const { id: ruleId } = rule.json as { readonly id: string }
    // The app sees no evaluations of readings from before its rule was made. So the test makes the rule, moves the
    // clock by 30 days, and then uploads the readings.
    world.clock.advance(30 * DAY)
    await person.send("POST", "/v1/session", { email: person.account.email, password: PASSWORD })
    const { accessToken } = await connect()
    const ask = async (path: string) => (await world.call(path, bearer(accessToken))).json
    await person.send("PUT", "/v1/user/history", { keep_days: 30 })
    // Twenty minutes at home. The first reading is only one millisecond short of the age at which it is deleted (30
    // days).
    const start = world.clock.now() - 30 * DAY + 1
    const end = start + 20 * MINUTE
    await sent(person, [start, start + 10 * MINUTE], [end])
    const answers = async () => {
      const span = `from=${iso(start - DAY)}&to=${iso(end + DAY)}&purpose=look_back`
      return {
        raw: await ask(`/v1/locations/timerange?${span}`),
        days: await ask(`/v1/locations/days?${span}`),
        lookup: await ask(`/v1/locations/lookup?at=${iso(start)}&tolerance_s=60&purpose=look_back`),
        moment: await ask(`/v1/lookup/place?at=${iso(start)}&tolerance_s=60`),
        visits: await ask("/v1/visits"),
        evaluations: await ask(`/v1/rules/place/${ruleId}/evaluations`)
      }
    }
    expect(await answers()).toMatchObject({
      raw: { fixes: [{}, {}, {}] },
      days: { days: [{ fixes: 3 }] },
      lookup: { matched: true },
      moment: { matched: true },
      visits: { visits: [{ arrival: iso(start), departure: iso(end) }] },
      evaluations: { evaluations: [{}, {}, {}] }
    })
    world.clock.advance(1)
    expect(await answers()).toMatchObject({
      raw: { fixes: [{}, {}] },
      days: { days: [{ fixes: 2 }] },
      lookup: { matched: false, fix: null },
      moment: { matched: false, place: null, asOf: null },
      visits: { visits: [{ departure: iso(end) }] },
      evaluations: { evaluations: [{}, {}] }
    })
    world.clock.advance(20 * MINUTE)
    const nothing = await answers()
    expect(nothing).toMatchObject({
      raw: { fixes: [] },
      days: { days: [] },
      visits: { visits: [] },
      evaluations: { evaluations: [] }
    })
    expect(await fixes(person)).toBe(0)
    await world.run(Effect.flatMap(Timestamp.now, sweepHistory))
    expect(await answers()).toEqual(nothing)
  })
})
