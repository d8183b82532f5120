import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"
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

it("From and To are days of the reader's zone, as the times of the rows are [accounts-19]", async () => {
  const on = await stage(world)
  // 12:00 UTC on 1 March is 1:00 on 2 March in Auckland.
  await on.developer.send("PUT", "/v1/user/time-zone", { time_zone: "Pacific/Auckland" })
  await on.fire()
  await on.work()
  const rows = async (day: string) =>
    (await on.developer.get(`/developer/apps/${on.app.id}/deliveries?from=${day}&to=${day}`)).text.match(
      /data-label="Event"/g
    )?.length ?? 0
  expect(await rows("2026-03-01")).toBe(0)
  expect(await rows("2026-03-02")).toBeGreaterThan(0)
})

it("a delivery leads to its endpoint only where the reader can open it [teams-1]", async () => {
  const on = await stage(world)
  await on.fire()
  await on.work()
  const viewer = await world.person()
  const team = `${on.base}/team/invitations`
  const invited = await on.developer.send("POST", team, { email: viewer.account.email, role: "viewer" })
  await viewer.send("POST", `${team}/${(invited.json as { readonly id: string }).id}/accept`)
  const { deliveries } = (await on.developer.get(`${on.log}?endpoint_id=${on.endpoints[0]}`)).json as {
    readonly deliveries: ReadonlyArray<{ readonly id: string }>
  }
  const path = `/developer/apps/${on.app.id}`
  const leads = async (by: Person) => {
    const { status, text } = await by.get(`${path}/deliveries/${deliveries[0]?.id}`)
    expect([status, text.includes(`<code>${on.endpoints[0]}</code>`)]).toEqual([200, true])
    return text.includes(`href="${path}/webhooks/${on.endpoints[0]}"`)
  }
  expect([await leads(on.developer), await leads(viewer)]).toEqual([true, false])
  expect((await on.developer.send("DELETE", `${on.base}/webhooks/${on.endpoints[0]}`)).status).toBe(204)
  expect(await leads(on.developer)).toBe(false)
})

it("a recovery that reached its limit says that more may have failed", async () => {
  const on = await stage(world)
  const note = async (count: number) =>
    (await on.developer.get(`/developer/apps/${on.app.id}/deliveries?recovered=${count}`)).text.includes(
      "There may be more: use “Send again what failed” once more."
    )
  expect([await note(9_999), await note(10_000)]).toEqual([false, true])
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
