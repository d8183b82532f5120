import type { App } from "@place-access/domain/apps"
import { Place, PlaceStore } from "@place-access/domain/places"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { PlaceId, Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type Tokens, type World } from "../support/World.js"

let world: World
let user: Person
let app: App.App
let tokens: Tokens
let connection: Readonly<Record<string, unknown>> | undefined

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.person()
  app = (await world.app(user)).app
  tokens = await world.connect(user, app, { scopes: ["location.place.current"] })
  connection = (await list())[0]
})

const list = async () =>
  ((await user.get("/v1/user/connections")).json as { connections: Array<Readonly<Record<string, unknown>>> })
    .connections
const path = (suffix = "") => `/v1/user/connections/${String(connection?.["id"])}${suffix}`

const place = (label: string, overrides: Partial<Place.Place> = {}) =>
  world.run(
    Effect.gen(function* () {
      const made: Place.Place = {
        userId: user.account.id,
        id: PlaceId.make(`plc_${randomBytes(8).toString("hex")}`),
        label: Place.Label.make(label),
        kind: "home",
        circle: { lat: 48.2, lon: 16.37, radiusM: 150 },
        geometryVersion: 1,
        createdAt: yield* Timestamp.now,
        archivedAt: null,
        ...overrides
      }
      yield* (yield* PlaceStore).create(made)
      return made.id
    })
  )

const share = (...places: ReadonlyArray<unknown>) => user.send("PUT", path("/places"), { places })
const version = async () =>
  ((await world.call("/v1/me", bearer(tokens.accessToken))).json as { readonly places_version: number }).places_version

describe("GET /v1/user/connections", () => {
  it("pages: each connection once, newest first; a cursor is good for its user only [connection-2]", async () => {
    for (let made = 0; made < 2; made++) {
      world.clock.advance(1_000)
      await world.connect(user, (await world.app(user)).app, { scopes: ["location.place.current"] })
    }
    world.clock.advance(-2_000)
    const all = await list()
    expect(all.length).toBe(3)
    const page = async (query: string) =>
      (await user.get(`/v1/user/connections${query}`)).json as {
        readonly connections: ReadonlyArray<unknown>
        readonly nextCursor: string | null
      }
    const first = await page("?limit=2")
    const cursor = encodeURIComponent(first.nextCursor ?? "")
    const second = await page(`?limit=2&cursor=${cursor}`)
    expect([...first.connections, ...second.connections]).toEqual(all)
    expect(second.nextCursor).toBeNull()
    const stranger = await world.person()
    for (const answer of [
      await stranger.get(`/v1/user/connections?cursor=${cursor}`),
      await user.get(`/v1/user/connections?cursor=${cursor}x`),
      await user.get("/v1/user/connections?limit=501")
    ]) {
      expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ error: "validation_failed" })])
    }
  })

  it("the user's own, newest first, with the app and without what the app calls the user [§2.1-external-user-id, connection-2]", async () => {
    const answer = await user.get("/v1/user/connections")
    expect(answer.json).toEqual({
      connections: [
        {
          id: expect.stringMatching(/^con_/),
          app: {
            id: app.id,
            name: app.name,
            description: app.description,
            homepage_url: null,
            logo: null,
            status: "sandbox"
          },
          live: true,
          on_hold: false,
          scopes: ["location.place.current"],
          held_scopes: ["location.place.current"],
          agreed_scopes: ["location.place.current"],
          pause: null,
          places_version: 1,
          places: [],
          grant_expires_at: "2026-03-31T12:00:00.000Z",
          sensitive_expires_at: null,
          sensitive_lapsed_at: null,
          renewal_grace_ends_at: null,
          last_used_at: null,
          connected_at: "2026-03-01T12:00:00.000Z",
          ended_at: null,
          end_reason: null
        }
      ],
      nextCursor: null
    })
    expect(answer.text).not.toContain(tokens.sub)
    const one = await user.get(path())
    expect([one.status, one.json]).toEqual([200, { ...connection, subscriptions: [] }])
  })

  it("exact location that has lapsed: since when, until when it can be renewed, and the last use [§3.1]", async () => {
    const own = (await world.app(user)).app
    const scopes = ["location.latest.read"] as const
    const terms = { description: "To have your coffee ready.", scopes, expectedDailyVolume: 20 }
    await world.run(createPurpose(user.account, own.id, { key: Purpose.PurposeKey.make("order_ahead"), terms }))
    const made = await world.connect(user, own, {
      scopes: ["location.place.current", ...scopes],
      standardDays: "never",
      sensitiveDays: "1"
    })
    const shown = async () => (await list()).find((one) => (one["app"] as { readonly id: string }).id === own.id)
    world.clock.advance(Timestamp.MINUTE)
    await world.call("/v1/me", bearer(made.accessToken))
    const used = {
      sensitive_expires_at: "2026-03-02T12:00:00.000Z",
      last_used_at: "2026-03-01T12:01:00.000Z",
      connected_at: "2026-03-01T12:00:00.000Z"
    }
    expect(await shown()).toMatchObject({ ...used, sensitive_lapsed_at: null })
    world.clock.advance(Timestamp.DAY - Timestamp.MINUTE)
    expect(await shown()).toMatchObject({
      ...used,
      sensitive_lapsed_at: "2026-03-02T12:00:00.000Z",
      renewal_grace_ends_at: "2026-03-16T12:00:00.000Z"
    })
    world.clock.advance(-Timestamp.DAY)
  })

  it("another user's: 404, whatever is done; without a session: 401", async () => {
    const stranger = await world.person()
    const answers = [
      await stranger.get(path()),
      await stranger.send("DELETE", path()),
      await stranger.send("PUT", path("/places"), { places: [] }),
      await user.get("/v1/user/connections/con_unknown")
    ]
    for (const answer of answers) {
      expect([answer.status, answer.json]).toEqual([404, expect.objectContaining({ error: "not_found" })])
    }
    expect((await world.call(path())).status).toBe(401)
    expect((await world.call("/v1/me", bearer(tokens.accessToken))).status).toBe(200)
  })

  it("an id that no connection can have: 404 like an unknown one [§7]", async () => {
    for (const id of ["con.1", "x".repeat(65), "%20", "é"]) {
      const at = `/v1/user/connections/${id}`
      const answers = [
        await user.get(at),
        await user.send("DELETE", at),
        await user.send("PUT", `${at}/places`, { places: [] }),
        await user.send("PATCH", at, { standard_days: 30 }),
        await user.get(`${at}/uses`),
        await user.get(`/v1/user/consent-requests/${id}`)
      ]
      const found = answers.map(({ json, status }) => [status, (json as { readonly error: string }).error])
      expect([id, found]).toEqual([id, answers.map(() => [404, "not_found"])])
    }
  })
})

describe("DELETE /v1/user/connections/{id}", () => {
  it("204, again 204: tokens die, the connection stays listed as it ended [connection-3]", async () => {
    expect((await user.send("DELETE", path())).status).toBe(204)
    expect((await world.call("/v1/me", bearer(tokens.accessToken))).status).toBe(401)
    world.clock.advance(60_000)
    expect((await user.send("DELETE", path())).status).toBe(204)
    world.clock.advance(-60_000)
    expect(await list()).toEqual([
      expect.objectContaining({
        live: false,
        scopes: [],
        ended_at: "2026-03-01T12:00:00.000Z",
        end_reason: "user_disconnected"
      })
    ])
  })

  it("needs an Origin of ours [A3]", async () => {
    const answer = await user.send("DELETE", path(), undefined, { headers: { origin: "https://evil.example" } })
    expect(answer.status).toBe(403)
    expect((await world.call("/v1/me", bearer(tokens.accessToken))).status).toBe(200)
  })
})

describe("PUT /v1/user/connections/{id}/places", () => {
  it("replaces the set; places_version grows only when the set changes [§9.2]", async () => {
    const [home, work] = [await place("Home"), await place("Work", { kind: "work" })]
    const both = await share({ id: work }, { id: home, include_earlier_visits: true })
    expect([both.status, both.json]).toEqual([
      200,
      expect.objectContaining({
        places_version: 2,
        places: [
          {
            id: home,
            label: "Home",
            kind: "home",
            shared_at: "2026-03-01T12:00:00.000Z",
            include_earlier_visits: true,
            archived_at: null
          },
          expect.objectContaining({ id: work, include_earlier_visits: false })
        ]
      })
    ])
    expect(await version()).toBe(2)
    world.clock.advance(1_000)
    const order = await share({ id: home }, { id: work }, { id: work })
    expect(order.json).toMatchObject({
      places_version: 2,
      places: [{ id: home, shared_at: "2026-03-01T12:00:00.000Z", include_earlier_visits: false }, { id: work }]
    })
    expect((await share({ id: work })).json).toMatchObject({ places_version: 3, places: [{ id: work }] })
    expect((await share()).json).toMatchObject({ places_version: 4, places: [] })
    world.clock.advance(-1_000)
  })

  it("an unknown place, another user's, an archived one: 400, and nothing changes", async () => {
    const archived = await place("Old", { archivedAt: Timestamp.make(1) })
    const mine = user
    user = await world.person()
    const others = await place("Theirs")
    user = mine
    for (const id of ["plc_unknown", others, archived]) {
      const answer = await share({ id })
      expect([answer.status, answer.json]).toEqual([
        400,
        {
          statusCode: 400,
          error: "validation_failed",
          message: "places must name only places of yours that are not archived"
        }
      ])
    }
    expect(await version()).toBe(1)
  })

  it("an ended connection: 409 conflict [connection-3]", async () => {
    await user.send("DELETE", path())
    const answer = await share()
    expect([answer.status, answer.json]).toEqual([409, expect.objectContaining({ error: "conflict" })])
  })
})
