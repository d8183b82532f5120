import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"
import { stage } from "../support/webhooks.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

it("a filter that cannot be meant: 400, and which field it is", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const path = `/developer/apps/${on.app.id}/deliveries`
  const read = (query: string) => on.developer.get(path + query, { headers: { accept: "text/html" } })
  for (const [query, problem] of [
    ["from=yesterday", "From must be a date"],
    ["to=2026-02-30", "To must be a date"],
    ["state=lost", "Outcome must be one of the list"],
    ["type=place.left", "Event must be one of the list"],
    ["endpoint=no%20id", "Endpoint must be one of the list"]
  ] as const) {
    const answer = await read(`?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(problem)
  }
  const whole = await read("?from=2020-01-01&to=2099-12-31&state=delivered&type=place.enter")
  expect([whole.status, whole.text.includes("There is a problem")]).toEqual([200, false])
})

it("a cursor that was tampered with begins the list anew", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const path = `/developer/apps/${on.app.id}/deliveries`
  const rows = async (query: string) =>
    (await on.developer.get(path + query, { headers: { accept: "text/html" } })).text.match(/data-label="Event"/g)
      ?.length
  expect(await rows("")).toBeGreaterThan(0)
  expect(await rows("?cursor=forged")).toBe(await rows(""))
})

it("a rule that the app deleted itself is not put down to the user", async () => {
  const on = await stage(world)
  await on.fire()
  await world.run(Effect.map(MemoryDatabase, ({ rules }) => rules.delete(on.rule.id)))
  await on.work()
  const page = (await on.developer.get(`/developer/apps/${on.app.id}/deliveries`, { headers: { accept: "text/html" } }))
    .text
  expect(page).toContain("Failed")
  expect(page).not.toContain("the user no longer allows it")
  expect(page).toContain("your app is no longer authorised")
})
