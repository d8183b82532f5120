import { AccessLogStore } from "@place-access/domain/access-log"
import { AccessLogEntryId, AppId, ConnectionId, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
let person: Person
beforeAll(async () => {
  world = await startWorld()
  person = await world.person()
  const start = Timestamp.make(world.clock.now() - Timestamp.DAY)
  const entry = (index: number) => ({
    userId: person.account.id,
    id: AccessLogEntryId.make(`log_${index}`),
    at: Timestamp.plus(start, index * Timestamp.MINUTE),
    appId: AppId.make("app_1"),
    connectionId: ConnectionId.make("con_1"),
    endpoint: "GET /v1/me",
    purpose: null,
    status: 200,
    times: 1,
    error: null,
    // The page folds equal entries into one line. The number in the text makes every entry different, so every entry
    // gets its own line.
    disclosed: `Studio ${index}`
  })
  const entries = Array.from({ length: 400 }, (_, index) => entry(index))
  await world.run(Effect.flatMap(AccessLogStore, (store) => Effect.forEach(entries, store.record)))
})
afterAll(() => world.close())

const link = (text: string, name: string): string | undefined =>
  new RegExp(`href="([^"]*)">${name}</a>`).exec(text)?.[1]?.replaceAll("&amp;", "&")

describe("the page of the access log", () => {
  it("leads from a later part back to the newest entries with the same filter", async () => {
    const first = (await person.get("/portal/access-log?app=app_1")).text
    expect(link(first, "Newest")).toBeUndefined()
    const second = (await person.get(link(first, "Older") ?? "")).text
    expect(link(second, "Newest")).toBe("/portal/access-log?app=app_1")
  })

  it("says that the last day is before the first: the list would be empty without a reason", async () => {
    const answer = await person.get("/portal/access-log?from=2026-03-02&to=2026-03-01")
    expect([answer.status, answer.text.includes("To must not be before the first day")]).toEqual([400, true])
    expect((await person.get("/portal/access-log?from=2026-03-01&to=2026-03-01")).status).toBe(200)
    const german = await person.get("/portal/access-log?from=2026-03-02&to=2026-03-01", {
      headers: { "accept-language": "de" }
    })
    expect(german.text).toContain("Bis darf nicht vor dem ersten Tag liegen")
  })
})
