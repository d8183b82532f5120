import { MemoryWebhookSender } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stage } from "../support/webhooks.js"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/**
 * An app with two events: its receiver answers 404 to the first event (`gone`) and 500 to the second event (`failing`).
 */
const faults = async () => {
  const on = await stage(world)
  await on.script(MemoryWebhookSender.answers(404))
  const gone = await on.fire("place.enter")
  await on.work()
  world.clock.advance(1)
  await on.script(MemoryWebhookSender.answers(500))
  const failing = await on.fire("place.exit")
  await on.work()
  return { on, gone: gone.id, failing: failing.id }
}

describe("the filters by reason and by status [deliveries-20]", () => {
  it("of the API: the newest attempt counts, faults are named, and a cursor is for one filter only", async () => {
    const { failing, gone, on } = await faults()
    const events = async (query: string) => {
      const { json, status } = await on.developer.get(`${on.log}?${query}`)
      expect([query, status]).toEqual([query, 200])
      return (json as { readonly deliveries: ReadonlyArray<{ readonly event_id: string }> }).deliveries.map(
        (row) => row.event_id
      )
    }
    expect(await events("status=404")).toEqual([gone])
    expect(await events("status=500")).toEqual([failing])
    expect(await events("status=none")).toEqual([])
    expect(await events("fail_reason=exhausted")).toEqual([])
    expect(await events("state=trying&status=500")).toEqual([failing])
    // A receiver may answer with any status of three digits, also with a status that HTTP does not define.
    for (const query of ["status=100", "status=600", "status=999"]) expect(await events(query)).toEqual([])
    for (const query of ["status=99", "status=099", "status=1000", "status=nothing", "fail_reason=lost"]) {
      expect((await on.developer.get(`${on.log}?${query}`)).status).toBe(400)
    }
    const { nextCursor } = (await on.developer.get(`${on.log}?limit=1`)).json as { readonly nextCursor: string }
    expect((await on.developer.get(`${on.log}?limit=1&status=500&cursor=${nextCursor}`)).status).toBe(400)
    expect((await on.developer.get(`${on.log}?limit=1&cursor=${nextCursor}`)).status).toBe(200)
  })

  it("of the page: the same, kept in the form, and a faulty value is named", async () => {
    const { failing, gone, on } = await faults()
    const path = `/developer/apps/${on.app.id}/deliveries`
    const read = (query: string) => on.developer.get(path + query, { headers: { accept: "text/html" } })
    const rows = (text: string) => text.match(/data-label="Event"/g)?.length ?? 0
    const one = await read("?status=404")
    expect([one.status, rows(one.text), /value="404"/.test(one.text)]).toEqual([200, 1, true])
    expect(rows((await read("?status=none")).text)).toBe(0)
    expect(rows((await read("")).text)).toBe(2)
    expect((await read("?status=999")).status).toBe(200)
    const none = await read("?reason=exhausted")
    expect([none.status, rows(none.text)]).toEqual([200, 0])
    expect(none.text).toMatch(/<option value="exhausted"\s+selected>/)
    for (const [query, problem] of [
      ["?reason=lost", "Reason of the failure must be one of the list"],
      ["?status=99", "HTTP status or none must be a number such as 404, or none"]
    ] as const) {
      const answer = await read(query)
      expect([answer.status, answer.text.includes(problem)]).toEqual([400, true])
    }
    expect(gone).not.toBe(failing)
  })
})
