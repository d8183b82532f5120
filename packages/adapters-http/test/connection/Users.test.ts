import type { App } from "@place-access/domain/apps"
import { listAppUsers } from "@place-access/domain/connection"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const LATEST = "location.latest.read"

interface Page {
  readonly users: ReadonlyArray<Record<string, unknown>>
  readonly nextCursor: string | null
}

let world: World
let owner: Person
let app: App.App
beforeAll(async () => {
  world = await startWorld()
  owner = await world.person()
  ;({ app } = await world.app(owner))
  const terms = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 20 } as const
  await world.run(createPurpose(owner.account, app.id, { key: Purpose.PurposeKey.make("order_ahead"), terms }))
})
afterAll(() => world.close())

const list = async (query = "", who = owner) => {
  const answer = await who.get(`/v1/developer/apps/${app.id}/users${query}`)
  return { status: answer.status, page: answer.json as Page }
}

/** The user disconnects the first connection of the list. */
const end = async () => {
  const { connections } = (await owner.get("/v1/user/connections")).json as { connections: Array<{ id: string }> }
  await owner.send("DELETE", `/v1/user/connections/${connections[0]?.id}`)
}

describe("GET /v1/developer/apps/{app_id}/users", () => {
  it("the list is empty while nobody is connected", async () => {
    expect((await list()).page).toEqual({ users: [], nextCursor: null })
  })

  it("as GET /v1/me describes the connection, with its state and the id that events name; nothing of who it is [connection-1]", async () => {
    const tokens = await world.connect(owner, app, {
      scopes: [CURRENT, LATEST],
      sensitiveDays: "1",
      standardDays: "never",
      request: { external_user_id: "user 7" }
    })
    const me = (await world.call("/v1/me", bearer(tokens.accessToken))).json as Record<string, unknown>
    const { page } = await list()
    const { places_version: _, ...shared } = me
    expect(page).toEqual({
      users: [{ ...shared, grant_id: expect.stringMatching(/^con_/), live: true, ended_at: null, end_reason: null }],
      nextCursor: null
    })
    for (const secret of [owner.account.id, owner.account.email]) expect(JSON.stringify(page)).not.toContain(secret)
  })

  it("a lapsed tier keeps its scopes and dates; a removed one has none; an ended connection stays listed", async () => {
    world.clock.advance(Timestamp.DAY)
    expect((await list()).page.users[0]).toMatchObject({
      scopes: [CURRENT],
      held_scopes: [CURRENT, LATEST],
      sensitive_lapsed_at: "2026-03-02T12:00:00.000Z",
      renewal_grace_ends_at: "2026-03-16T12:00:00.000Z"
    })
    world.clock.advance(14 * Timestamp.DAY)
    // In 14 days without a request the developer's session has ended, so the test calls the program and not the API.
    const { users } = await world.run(listAppUsers(owner.account, app.id, { limit: 1, cursor: undefined }))
    expect(users[0]).toMatchObject({ heldScopes: [CURRENT], sensitiveExpiresAt: null })
    world.clock.advance(-14 * Timestamp.DAY)
    await end()
    expect((await list()).page.users[0]).toMatchObject({
      live: false,
      scopes: [],
      ended_at: "2026-03-02T12:00:00.000Z",
      end_reason: "user_disconnected"
    })
    world.clock.advance(-Timestamp.DAY)
  })

  it("pages, newest first; a cursor is of this app; limits; somebody else's app is not there", async () => {
    for (let count = 0; count < 3; count++) {
      world.clock.advance(Timestamp.MINUTE)
      await world.connect(owner, app, { scopes: [CURRENT] })
      await end()
    }
    const all = (await list()).page.users.map(({ grant_id }) => grant_id)
    expect(all.length).toBe(4)
    const first = await list("?limit=3")
    const second = await list(`?limit=3&cursor=${first.page.nextCursor ?? ""}`)
    expect([...first.page.users, ...second.page.users].map(({ grant_id }) => grant_id)).toEqual(all)
    expect(second.page.nextCursor).toBeNull()
    const other = await world.app(owner)
    const foreign = await owner.get(`/v1/developer/apps/${other.app.id}/users?cursor=${first.page.nextCursor ?? ""}`)
    expect(foreign.status).toBe(400)
    for (const query of ["?limit=0", "?limit=501", "?cursor=forged"]) expect((await list(query)).status).toBe(400)
    expect((await list("", await world.person())).status).toBe(404)
    expect((await world.call(`/v1/developer/apps/${app.id}/users`)).status).toBe(401)
  })
})
