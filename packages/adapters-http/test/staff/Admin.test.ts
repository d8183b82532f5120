import { EventStore } from "@place-access/domain/deliveries"
import { Scope, Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { Effect, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"
import { developerIn, NEW } from "./developer.js"

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

const decideApp = (id: string, body: unknown, by = reviewer) => by.send("POST", `/v1/admin/apps/${id}/decision`, body)
const decidePurpose = (id: string, body: unknown, by = reviewer) =>
  by.send("POST", `/v1/admin/purposes/${id}/decision`, body)

interface Review {
  readonly kind: string
  readonly submitted_at: string
  readonly app: { readonly id: string; readonly revision: number }
  readonly purpose: { readonly id: string; readonly revision: number } | null
}

/** The entries of one app in the review queue. The queue also has entries of other tests. */
const queueOf = async (appId: string): Promise<ReadonlyArray<Review>> => {
  const { reviews } = (await reviewer.get("/v1/admin/reviews?limit=500")).json as {
    readonly reviews: ReadonlyArray<Review>
  }
  return reviews.filter(({ app }) => app.id === appId)
}

const mailTo = (person: Person) =>
  world.run(
    Effect.map(MemoryDatabase, ({ mail }) =>
      [...mail.values()].filter(({ to }) => to === person.account.id).map(({ subject }) => subject)
    )
  )

describe("GET /v1/admin/reviews", () => {
  it("purposes and apps with what a reviewer reads, longest waiting first; what is decided is gone", async () => {
    const { app, owner, path, purpose } = await developer()
    const { id } = await purpose()
    await owner.send("POST", `${path}/purposes/${id}/submit`)
    world.clock.advance(1_000)
    await owner.send("POST", `${path}/submit`)
    const [first, second, ...rest] = await queueOf(app.id)
    expect(rest).toEqual([])
    const reviewedApp = {
      id: app.id,
      name: app.name,
      status: "in_review",
      scopes: Scope.all,
      revision: 1,
      developer: {
        id: owner.account.id,
        email: owner.account.email,
        display_name: owner.account.displayName
      }
    }
    expect(first).toMatchObject({
      kind: "purpose",
      app: reviewedApp,
      purpose: { id, app_id: app.id, ...NEW, status: "in_review", revision: 1, approved: null }
    })
    expect(second).toMatchObject({ kind: "app", app: reviewedApp, purpose: null })
    expect(Date.parse(second!.submitted_at) - Date.parse(first!.submitted_at)).toBe(1_000)
    expect(JSON.stringify([first, second])).not.toMatch(/secret|hash|password/i)
    await decidePurpose(id, { decision: "approve" })
    expect((await queueOf(app.id)).map(({ kind }) => kind)).toEqual(["app"])
    await decideApp(app.id, { decision: "approve" })
    expect(await queueOf(app.id)).toEqual([])
  })

  it("in pages, whose cursor is good for this list alone", async () => {
    const { app, owner, path, purpose } = await developer()
    for (const key of ["one", "two", "three"]) {
      const { id } = await purpose({ key })
      await owner.send("POST", `${path}/purposes/${id}/submit`)
    }
    const found: Array<string> = []
    let cursor = ""
    do {
      const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page = (await reviewer.get(`/v1/admin/reviews?limit=2${query}`)).json as {
        readonly reviews: ReadonlyArray<Review>
        readonly nextCursor: string | null
      }
      found.push(...page.reviews.filter((one) => one.app.id === app.id).map(({ purpose }) => purpose?.id ?? ""))
      cursor = page.nextCursor ?? ""
    } while (cursor !== "")
    expect(new Set(found).size).toBe(3)
    expect(found).toHaveLength(3)
    const first = (await reviewer.get("/v1/admin/reviews?limit=1")).json as { readonly nextCursor: string }
    const foreign = await reviewer.get(`/v1/admin/apps?cursor=${encodeURIComponent(first.nextCursor)}`)
    expect([foreign.status, foreign.json]).toEqual([400, expect.objectContaining({ error: "validation_failed" })])
  })
})

describe("decisions", () => {
  it("an approved app can be connected by everybody; its developer gets a mail", async () => {
    const { app, owner, path } = await developer()
    const user = await world.person()
    const connect = () => world.connect(user, app, { scopes: ["location.place.current"] })
    await expect(connect()).rejects.toThrow("sandbox")
    const submitted = await owner.send("POST", `${path}/submit`)
    expect([submitted.status, submitted.json]).toEqual([
      200,
      expect.objectContaining({ status: "in_review", submitted_at: Timestamp.toIso(Timestamp.make(world.clock.now())) })
    ])
    await expect(connect()).rejects.toThrow("sandbox")
    const answer = await decideApp(app.id, { decision: "approve", note: "Well made." })
    expect([answer.status, answer.json]).toEqual([
      200,
      expect.objectContaining({ status: "production", review_note: "Well made.", submitted_at: null })
    ])
    expect((await connect()).scopes).toEqual(["location.place.current"])
    expect(await mailTo(owner)).toEqual([`${app.name} is in production`])
  })

  it("a rejected app is back in the sandbox, with the note, and can be submitted again", async () => {
    const { app, owner, path } = await developer()
    await owner.send("POST", `${path}/submit`)
    await decideApp(app.id, { decision: "reject", note: "Say what it is for." })
    expect((await owner.get(path)).json).toMatchObject({ status: "sandbox", review_note: "Say what it is for." })
    expect((await owner.send("POST", `${path}/submit`)).json).toMatchObject({ status: "in_review", review_note: null })
  })

  it("an edit of an approved purpose: the approved wording stays in force, whatever is decided [§3.2-edit]", async () => {
    const { owner, path, purpose } = await developer({ status: "production" })
    const { id } = await purpose()
    const at = `${path}/purposes/${id}`
    await owner.send("POST", `${at}/submit`)
    const { description, expected_daily_volume, scopes } = NEW
    const approved = { description, scopes, expected_daily_volume }
    expect((await decidePurpose(id, { decision: "approve" })).json).toMatchObject({ status: "approved", approved })
    const edited = await owner.send("PATCH", at, { description: "Shows everybody where you are" })
    expect(edited.json).toMatchObject({
      status: "in_review",
      description: "Shows everybody where you are",
      expected_daily_volume: 24,
      approved
    })
    const rejected = await decidePurpose(id, { decision: "reject", note: "Everybody?" })
    expect(rejected.json).toMatchObject({ status: "rejected", review_note: "Everybody?", approved })
    expect((await owner.send("PATCH", at, { description })).json).toMatchObject({ status: "approved", approved })
  })

  it("409 when nothing is in review, and when it was changed since it was read [reviews-4]", async () => {
    const { app, owner, path, purpose } = await developer()
    const { id } = await purpose()
    for (const answer of [
      await decideApp(app.id, { decision: "approve" }),
      await decidePurpose(id, { decision: "approve" })
    ]) {
      expect([answer.status, answer.json]).toEqual([409, expect.objectContaining({ error: "conflict" })])
    }
    const at = `${path}/purposes/${id}`
    await owner.send("POST", `${at}/submit`)
    const [read] = await queueOf(app.id)
    await owner.send("PATCH", at, { description: "Sells where you are to others" })
    expect((await decidePurpose(id, { decision: "approve", revision: read?.purpose?.revision })).status).toBe(409)
    const [repeated] = await queueOf(app.id)
    expect(repeated).toMatchObject({
      submitted_at: read?.submitted_at,
      purpose: { description: "Sells where you are to others" }
    })
    const revision = repeated?.purpose?.revision
    expect((await decidePurpose(id, { decision: "reject", note: "No.", revision })).status).toBe(200)
  })

  it("a decision without a revision is about what can be read now, also when it was changed since its submission [reviews-4]", async () => {
    const { app, owner, path, purpose } = await developer()
    const { id } = await purpose()
    await owner.send("POST", `${path}/submit`)
    await owner.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris: ["https://other.example/callback"] })
    expect((await decideApp(app.id, { decision: "approve" })).status).toBe(200)
    await owner.send("POST", `${path}/purposes/${id}/submit`)
    await owner.send("PATCH", `${path}/purposes/${id}`, { description: "Orders ahead in better words" })
    const decided = await decidePurpose(id, { decision: "approve" })
    expect([decided.status, decided.json]).toMatchObject([
      200,
      { approved: { description: "Orders ahead in better words" } }
    ])
  })

  it.each([
    ["no decision", {}, "decision is missing"],
    ["another decision", { decision: "maybe" }, /^decision must be "approve"/],
    ["a rejection without a note", { decision: "reject" }, "note is missing: a rejection says what to change"],
    ["an empty note", { decision: "reject", note: " " }, "note must not be empty"],
    ["1,001 characters", { decision: "approve", note: "x".repeat(1_001) }, "note must be at most 1000 characters"],
    ["half a revision", { decision: "approve", revision: 1.5 }, /^revision must be a whole number/]
  ])("%s: 400 validation_failed", async (_, body, message) => {
    const { app, owner, path, purpose } = await developer()
    const { id } = await purpose()
    await owner.send("POST", `${path}/purposes/${id}/submit`)
    await owner.send("POST", `${path}/submit`)
    for (const answer of [await decideApp(app.id, body), await decidePurpose(id, body)]) {
      expect(answer.json).toMatchObject({ error: "validation_failed", message: expect.stringMatching(message) })
    }
  })

  it("unknown and impossible ids are 404", async () => {
    for (const id of ["app_unknown", "%20", "x".repeat(99), "..%2Fx", "é"]) {
      expect((await decideApp(id, { decision: "approve" })).json).toMatchObject({ message: "No such app" })
      expect((await decidePurpose(id, { decision: "approve" })).json).toMatchObject({ message: "No such purpose" })
      expect((await admin.get(`/v1/admin/apps/${id}`)).status).toBe(404)
      expect((await admin.get(`/v1/admin/apps/${id}/decisions`)).status).toBe(404)
      expect((await admin.send("PATCH", `/v1/admin/apps/${id}`, { allowed_scopes: null })).status).toBe(404)
      expect((await admin.send("POST", `/v1/admin/apps/${id}/revoke`, { reason: "None." })).status).toBe(404)
    }
  })
})

describe("GET /v1/admin/apps, /v1/admin/apps/{app_id} and its decisions", () => {
  it("any app with its developer and purposes, and who decided what about it", async () => {
    const { app, owner, path, purpose } = await developer()
    const { id } = await purpose()
    await owner.send("POST", `${path}/purposes/${id}/submit`)
    await decidePurpose(id, { decision: "reject", note: "Why?" })
    world.clock.advance(1)
    await admin.send("PATCH", `/v1/admin/apps/${app.id}`, { allowed_scopes: ["location.lookup"] })
    expect((await reviewer.get(`/v1/admin/apps/${app.id}`)).json).toMatchObject({
      id: app.id,
      allowed_scopes: ["location.lookup"],
      developer: { email: owner.account.email },
      purposes: [{ id, status: "rejected", review_note: "Why?" }]
    })
    const decisions = await reviewer.get(`/v1/admin/apps/${app.id}/decisions`)
    const now = world.clock.now()
    expect(decisions.json).toEqual({
      decisions: [
        {
          id: expect.stringMatching(/^rvw_/),
          at: Timestamp.toIso(Timestamp.make(now)),
          decision: "narrowed",
          note: null,
          by: { id: admin.account.id, display_name: admin.account.displayName },
          subject: {
            kind: "app",
            id: app.id,
            name: app.name,
            scopes: Scope.all,
            allowed_scopes: ["location.lookup"],
            change: null
          }
        },
        {
          id: expect.stringMatching(/^rvw_/),
          at: Timestamp.toIso(Timestamp.make(now - 1)),
          decision: "rejected",
          note: "Why?",
          by: { id: reviewer.account.id, display_name: reviewer.account.displayName },
          subject: { kind: "purpose", id, ...NEW }
        }
      ],
      nextCursor: null
    })
    const listed = (await reviewer.get("/v1/admin/apps?limit=500")).json as {
      readonly apps: ReadonlyArray<{ readonly id: string }>
    }
    expect(listed.apps.map((one) => one.id)).toContain(app.id)
  })
})

describe("PATCH /v1/admin/apps/{app_id}: what an admin takes away is gone from live tokens at once [§5.6]", () => {
  it("narrowed, narrowed to nothing, lifted [reviews-5]", async () => {
    const { app, owner } = await developer({ status: "production" })
    const user = await world.person()
    const tokens = await world.connect(user, app, { scopes: ["location.visits.read", "location.rules.place"] })
    const scopes = async () =>
      ((await world.call("/v1/me", bearer(tokens.accessToken))).json as { readonly scopes: ReadonlyArray<string> })
        .scopes
    const narrow = (allowed_scopes: unknown) => admin.send("PATCH", `/v1/admin/apps/${app.id}`, { allowed_scopes })
    expect((await narrow(["location.visits.read", "location.visits.read", "location.lookup"])).json).toMatchObject({
      scopes: Scope.all,
      allowed_scopes: ["location.visits.read", "location.lookup"]
    })
    expect(await scopes()).toEqual(["location.visits.read"])
    const rules = await world.call("/v1/rules/place", { method: "POST", ...bearer(tokens.accessToken) })
    expect([rules.status, rules.json]).toEqual([403, expect.objectContaining({ error: "missing_scope" })])
    await narrow([])
    expect(await scopes()).toEqual([])
    await narrow(null)
    expect(await scopes()).toEqual(["location.visits.read", "location.rules.place"])
    expect(await mailTo(owner)).toHaveLength(3)
  })

  it.each([
    ["nothing", {}, "allowed_scopes is missing"],
    ["a scope that does not exist", { allowed_scopes: ["location.everything"] }, /^allowed_scopes\[0\] must be/],
    ["a text", { allowed_scopes: "location.lookup" }, /^allowed_scopes must be an array or null/]
  ])("%s: 400 validation_failed", async (_, body, message) => {
    const { app } = await developer()
    const answer = await admin.send("PATCH", `/v1/admin/apps/${app.id}`, body)
    expect(answer.json).toMatchObject({ error: "validation_failed", message: expect.stringMatching(message) })
  })
})

describe("POST /v1/admin/apps/{app_id}/revoke", () => {
  it("tokens and waiting events of the app stop at once, its users read that it ended, and it stays so", async () => {
    const { app, clientSecret, owner, path } = await developer({ status: "production" })
    const user = await world.person()
    const tokens = await world.connect(user, app, { scopes: ["location.place.current"] })
    const me = () => world.call("/v1/me", bearer(tokens.accessToken))
    expect((await me()).status).toBe(200)
    const revoke = (reason: string) => admin.send("POST", `/v1/admin/apps/${app.id}/revoke`, { reason })
    const answer = await revoke("It sold what it saw.")
    const revokedAt = Timestamp.toIso(Timestamp.make(world.clock.now()))
    expect([answer.status, answer.json]).toEqual([
      200,
      expect.objectContaining({ revoked_at: revokedAt, review_note: "It sold what it saw." })
    ])
    const refused = await me()
    expect([refused.status, refused.json]).toEqual([401, expect.objectContaining({ error: "invalid_token" })])
    const refreshed = await world.call("/v1/oauth/token", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        grantType: "refresh_token",
        clientId: app.id,
        clientSecret,
        refreshToken: tokens.refreshToken
      })
    })
    expect([refreshed.status, refreshed.json]).toEqual([400, expect.objectContaining({ error: "invalid_grant" })])
    const { connections } = (await user.get("/v1/user/connections")).json as {
      readonly connections: ReadonlyArray<Record<string, unknown>>
    }
    expect(connections).toMatchObject([{ live: false, ended_at: revokedAt, end_reason: "admin_revoked", scopes: [] }])
    const authorised = await world.run(
      Effect.map(
        Effect.flatMap(EventStore, (events) =>
          events.authorisation(user.account.id, ConsentFlow.connectionOf(tokens.accessToken), null)
        ),
        Option.map(({ app, connection }) => [app.revokedAt !== null, connection.endedAt !== null])
      )
    )
    expect(authorised).toEqual(Option.some([true, true]))
    await expect(world.connect(user, app, { scopes: ["location.place.current"] })).rejects.toThrow("names no app")

    world.clock.advance(1_000)
    expect((await revoke("Another reason.")).json).toMatchObject({
      revoked_at: revokedAt,
      review_note: "It sold what it saw."
    })
    expect(await mailTo(owner)).toEqual([`${app.name} was revoked`])
    expect((await owner.send("POST", `${path}/submit`)).status).toBe(409)
    expect((await admin.send("PATCH", `/v1/admin/apps/${app.id}`, { allowed_scopes: null })).status).toBe(409)
  })

  it("without a reason: 400 validation_failed", async () => {
    const { app } = await developer()
    const answer = await admin.send("POST", `/v1/admin/apps/${app.id}/revoke`, {})
    expect(answer.json).toMatchObject({ error: "validation_failed", message: "reason is missing" })
    expect((await admin.get(`/v1/admin/apps/${app.id}`)).json).toMatchObject({ revoked_at: null })
  })
})
