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

it("a rule that the app deleted itself is not put down to the user", async () => {
  const on = await stage(world)
  await on.fire()
  await world.run(Effect.map(MemoryDatabase, ({ rules }) => rules.delete(on.rule.id)))
  await on.work()
  const page = (await on.developer.get(`/developer/apps/${on.app.id}/deliveries`, { headers: { accept: "text/html" } }))
    .text
  expect(page).toContain("Failed")
  expect(page).not.toContain("the user no longer allows it")
  expect(page).toContain("your app may no longer be told")
})
