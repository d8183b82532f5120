import { recordAccess } from "@place-access/domain/access-log"
import { flagVolumes } from "@place-access/domain/purposes"
import { type AppId, ConnectionId, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Person, startWorld, type World } from "../support/World.js"
import { developerIn, NEW } from "./developer.js"

/** Tests of the lists that reviewers read without deciding on anything. */

let world: World
let reviewer: Person
let admin: Person
beforeAll(async () => {
  world = await startWorld()
  reviewer = await world.person({ roles: ["reviewer"] })
  admin = await world.person({ roles: ["admin"] })
})
afterAll(() => world.close())

const developer = (overrides?: Parameters<World["app"]>[1]) => developerIn(world, overrides)

describe("GET /v1/admin/flags and GET /v1/user/volume-flags", () => {
  it("over twice the expected volume in a day: reviewers and the user read of it, with the purpose in users' words", async () => {
    const { app, purpose } = await developer({ status: "production" })
    const { id } = await purpose({ expected_daily_volume: 1 })
    const user = await world.person()
    const connectionId = ConnectionId.make(`con_${user.account.id}`)
    const appId: AppId = app.id
    const access = recordAccess({
      owner: { userId: user.account.id, appId, connectionId },
      endpoint: "GET /v1/locations/lookup",
      purpose: "find_friends",
      status: 200,
      error: null,
      disclosed: "one location"
    })
    await world.run(Effect.replicateEffect(access, 3))
    const to = Timestamp.make(world.clock.now() + 1)
    await world.run(flagVolumes(to))
    const flag = {
      app_id: app.id,
      app_name: app.name,
      purpose_description: NEW.description,
      calls: 3,
      expected_daily_volume: 1,
      from: Timestamp.toIso(Timestamp.plus(to, -Timestamp.DAY)),
      to: Timestamp.toIso(to)
    }
    expect((await user.get("/v1/user/volume-flags")).json).toEqual({ flags: [flag], nextCursor: null })
    const { flags } = (await reviewer.get("/v1/admin/flags?limit=500")).json as {
      readonly flags: ReadonlyArray<{ readonly app_id: string }>
    }
    expect(flags.filter((one) => one.app_id === app.id)).toEqual([
      { ...flag, connection_id: connectionId, purpose_id: id, purpose: "find_friends" }
    ])
    // Reviewers must not learn who the user of the flagged connection is.
    expect(JSON.stringify(flags)).not.toContain(user.account.email)
    expect((await (await world.person()).get("/v1/user/volume-flags")).json).toEqual({ flags: [], nextCursor: null })
    // Removes the purpose, as the deletion of the app's holder does. The list must still show the flag.
    await world.run(
      Effect.map(MemoryDatabase, ({ purposes }) => {
        purposes.splice(
          purposes.findIndex((one) => one.id === id),
          1
        )
      })
    )
    const gone = { ...flag, purpose_description: null }
    expect((await user.get("/v1/user/volume-flags")).json).toEqual({ flags: [gone], nextCursor: null })
    const page = (await user.get("/portal/access-log")).text
    expect(page).toContain("a purpose that no longer exists, where it had said")
    expect(page).not.toContain("find_friends")
  })
})

describe("GET /v1/admin/leaks and /review/leaks", () => {
  it("a spent refresh token that came again: reviewers read of the connection, on the page too, and nothing of its user [reviews-2]", async () => {
    const { app, clientSecret } = await developer({ status: "production" })
    const user = await world.person()
    const { refreshToken } = await world.connect(user, app, { scopes: ["location.place.current"] })
    await world.connect(await world.person(), app, { scopes: ["location.place.current"] })
    const refresh = () =>
      world.call("/v1/oauth/token", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ grantType: "refresh_token", clientId: app.id, clientSecret, refreshToken })
      })
    const leaksOf = async (by: Person) => {
      const { leaks } = (await by.get("/v1/admin/leaks?limit=500")).json as {
        readonly leaks: ReadonlyArray<{ readonly app_id: string }>
      }
      return leaks.filter(({ app_id }) => app_id === app.id)
    }
    expect((await refresh()).status).toBe(200)
    expect(await leaksOf(reviewer)).toEqual([])
    world.clock.advance(30_001)
    expect((await refresh()).status).toBe(400)
    const { connections } = (await user.get("/v1/user/connections")).json as {
      readonly connections: ReadonlyArray<{ readonly id: string }>
    }
    const id = connections[0]!.id
    const leak = {
      app_id: app.id,
      app_name: app.name,
      connection_id: id,
      flagged_at: new Date(world.clock.now()).toISOString(),
      end_reason: "refresh_token_reused"
    }
    expect(await leaksOf(reviewer)).toEqual([leak])
    expect(await leaksOf(admin)).toEqual([leak])
    const page = await reviewer.get("/review/leaks", { headers: { accept: "text/html" } })
    expect(page.status).toBe(200)
    for (const part of [app.name, id, "A refresh token"]) expect(page.text).toContain(part)
    for (const secret of [user.account.email, user.account.id]) expect(page.text).not.toContain(secret)
    expect((await user.get("/review/leaks", { headers: { accept: "text/html" } })).status).toBe(403)
  })
})
