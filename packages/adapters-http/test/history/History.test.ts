import { describeHistory } from "@place-access/domain/history"
import { sweepHistory } from "@place-access/domain/housekeeping"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const DAY = 86_400_000
const iso = (millis: number) => new Date(millis).toISOString()

/** A phone of the person sends what it had stored up. */
const sent = async (person: Person, times: ReadonlyArray<number>) => {
  const added = await person.send("POST", "/v1/user/devices", { name: "Phone", format: "json" })
  const { token } = added.json as { readonly token: string }
  const locations = times.map((at) => ({ captured_at: iso(at), lat: 52.52, lon: 13.405, accuracy_m: 10 }))
  const answer = await world.call("/v1/phone/locations", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ locations })
  })
  expect(answer.json).toMatchObject({ accepted: times.length })
}

const fixes = async (person: Person) => (await world.run(describeHistory(person.account.id))).fixes

describe("GET, PUT /v1/user/history", () => {
  it("90 days unless chosen; 30, 90, 365 or null, which is for ever", async () => {
    const person = await world.person()
    const since = (days: number) => iso(world.clock.now() - days * DAY)
    expect((await person.get("/v1/user/history")).json).toEqual({ keep_days: 90, kept_since: since(90) })
    for (const keep_days of [30, 365, 90]) {
      const answer = await person.send("PUT", "/v1/user/history", { keep_days })
      expect([answer.status, answer.json]).toEqual([200, { keep_days, kept_since: since(keep_days) }])
    }
    await person.send("PUT", "/v1/user/history", { keep_days: null })
    expect((await person.get("/v1/user/history")).json).toEqual({ keep_days: null, kept_since: null })
    expect((await (await world.person()).get("/v1/user/history")).json).toMatchObject({ keep_days: 90 })
  })

  it.each([[{}], [{ keep_days: 31 }], [{ keep_days: "90" }], [{ keep_days: 0 }], [{ keep_days: [90] }]])(
    "%j is 400 and changes nothing",
    async (body) => {
      const person = await world.person()
      const answer = await person.send("PUT", "/v1/user/history", body)
      expect(answer).toMatchObject({ status: 400, json: { error: "validation_failed" } })
      expect((answer.json as { readonly message: string }).message).toMatch(/^keep_days /)
      expect((await person.get("/v1/user/history")).json).toMatchObject({ keep_days: 90 })
    }
  )

  it("a shorter choice counts at once and deletes with the next sweep; a longer one brings nothing back", async () => {
    const person = await world.person()
    const now = world.clock.now()
    await sent(person, [now - 90 * DAY, now - 90 * DAY + 1, now - 30 * DAY, now - 30 * DAY + 1, now])
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
