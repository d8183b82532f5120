import type { App } from "@place-access/domain/apps"
import { AppStore } from "@place-access/domain/apps"
import { everything } from "@place-access/domain/leases"
import { revokeApp } from "@place-access/domain/staff"
import { listConnections } from "@place-access/domain/connection"
import { Verdict } from "@place-access/domain/reviews"
import { listRulesOfUser } from "@place-access/domain/rules"
import { ConsentFlow, Fixtures, MemoryDatabase, MemoryTierStore } from "@place-access/domain/testing"
import { sweepTiers } from "@place-access/domain/sweeps"
import type { ConnectionId, Scope } from "@place-access/domain/shared"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { jsonBody } from "../support/wire.js"
import { bearer, type Person, startWorld, type World } from "../support/World.js"

/** These tests follow the tables of Spec §3.1, §4.3 and §7 about connections, as apps and users see them over HTTP. */

const DAY = 86_400_000
const HOUR = 3_600_000
const CURRENT = "location.place.current"
const LOOKUP = "location.lookup"
const RULES = "location.rules.place"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

let user: Person
let app: App.App
let secret: string
let placeId: string
beforeEach(async () => {
  user = await world.person()
  const developer = await world.person()
  const made = await world.app(developer, { status: "production" })
  app = made.app
  secret = made.clientSecret
  await world.run(
    Fixtures.purpose(app.id, "find_coffee", {
      status: "approved",
      terms: TERMS,
      approved: TERMS
    })
  )
  const place = await user.send("POST", "/v1/user/places", { label: "Home", kind: "other", lat: 52.37, lon: 4.89 })
  placeId = (place.json as { id: string }).id
})
const TERMS = { description: "Finds coffee near you", scopes: [LOOKUP] as const, expectedDailyVolume: 10 }

interface Grant {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly refresh_token_expires_at: string | null
  readonly sensitive_scopes_expire_at: string | null
}

const approve = async (requested: ReadonlyArray<Scope.Scope>, more: Partial<ConsentFlow.Overrides> = {}) => {
  const { code } = await world.run(
    ConsentFlow.approve(app, user.account, requested, {
      places: [placeId],
      standardDays: "never",
      sensitiveDays: "7",
      ...more
    })
  )
  return code
}

const post = (path: string, fields: object) => world.call(path, { method: "POST", ...jsonBody(fields) })
const client = () => ({ clientId: app.id, clientSecret: secret })
const exchange = (code: string, codeVerifier: string = ConsentFlow.VERIFIER) =>
  post("/v1/oauth/token", {
    ...client(),
    grantType: "authorization_code",
    code,
    codeVerifier,
    redirectUri: app.redirectUris[0]
  })
const refresh = (refreshToken: string) =>
  post("/v1/oauth/token", { ...client(), grantType: "refresh_token", refreshToken })
const revoke = (token: string) => post("/v1/oauth/revoke", { ...client(), token })

const connect = async (
  requested: ReadonlyArray<Scope.Scope>,
  more: Partial<ConsentFlow.Overrides> = {}
): Promise<Grant> => (await exchange(await approve(requested, more))).json as Grant

/** Refreshes the tokens of a connection, and returns the new tokens. */
const refreshed = async (grant: Grant): Promise<Grant> => (await refresh(grant.refresh_token)).json as Grant

const me = (grant: Grant) => world.call("/v1/me", bearer(grant.access_token))
/** For each scope that `probe` accepts: a request that needs the scope. */
const QUESTIONS = {
  [CURRENT]: "/v1/answers/current-place",
  "location.visits.read": "/v1/visits",
  [LOOKUP]: "/v1/locations/lookup?purpose=find_coffee&at=2026-03-01T12:00:00Z",
  "location.history.read": "/v1/locations/days?purpose=find_coffee"
} as const
const probe = (grant: Grant, scope: keyof typeof QUESTIONS) => world.call(QUESTIONS[scope], bearer(grant.access_token))
const status = async (answer: Promise<{ readonly status: number }>) => (await answer).status
const addRule = (grant: Grant) =>
  world.call("/v1/rules/place", {
    method: "POST",
    ...jsonBody({ type: "enter", place_id: placeId }),
    headers: { "content-type": "application/json", ...bearer(grant.access_token).headers }
  })

/** In some tests more time passes than a browser's session lasts, so `listed` calls the program and not the API. */
const listed = () => world.run(listConnections(user.account.id))
const rulesOfUser = async (id: ConnectionId) =>
  (await world.run(listRulesOfUser(user.account.id, id, { limit: 100, cursor: undefined }))).rules
const connectionId = async () => (await listed())[0]!.id

const sweep = () => world.run(Effect.provide(sweepTiers(everything.people), MemoryTierStore.layer))
/** The types of all events for this app, oldest first, sent or not. */
const eventTypes = () =>
  world.run(
    Effect.map(MemoryDatabase, ({ events }) =>
      [...events.values()].filter(({ appId }) => appId === app.id).map(({ payload }) => payload.type)
    )
  )
const iso = (offset = 0) => new Date(world.clock.now() + offset).toISOString()

const invalidToken = { statusCode: 401, error: "invalid_token" }

describe("Spec §3.1, connection expiry tiers", () => {
  it("live | consent completed | first consent (mode new) → live; tokens issued", async () => {
    const grant = await connect([CURRENT])
    expect((await me(grant)).json).toMatchObject({ scopes: [CURRENT], held_scopes: [CURRENT], connected_at: iso() })
    expect(await status(refresh(grant.refresh_token))).toBe(200)
  })

  it("live (standard tier) | standard expiry passes | grant_expires_at reached → ended; all calls answer 401", async () => {
    const grant = await connect([CURRENT, RULES], { standardDays: "1" })
    await addRule(grant)
    world.clock.advance(DAY - HOUR + 1)
    const young = await refreshed(grant)
    world.clock.advance(HOUR - 2)
    expect(await status(me(young))).toBe(200)
    world.clock.advance(1)
    expect((await me(young)).json).toMatchObject(invalidToken)
    expect((await probe(young, CURRENT)).json).toMatchObject(invalidToken)
    expect((await refresh(young.refresh_token)).json).toMatchObject({ statusCode: 400, error: "invalid_grant" })
    expect(await listed()).toMatchObject([{ endReason: "expired", endedAt: world.clock.now() }])
    expect(await rulesOfUser(await connectionId())).toEqual([])
  })

  it("live (sensitive active) | sensitive_expires_at passes → lapsed: effective scopes drop it, held keep it, 403 scope_expired, sensitive.lapsed", async () => {
    const grant = await connect([CURRENT, RULES, LOOKUP])
    await addRule(grant)
    world.clock.advance(7 * DAY - 1)
    const before = await refreshed(grant)
    expect(before.scope.split(" ")).toEqual([CURRENT, RULES, LOOKUP])
    expect(await status(probe(before, LOOKUP))).toBe(200)
    world.clock.advance(1)
    expect(await status(probe(before, LOOKUP))).toBe(403)
    expect((await me(before)).json).toMatchObject({
      scopes: [CURRENT, RULES],
      held_scopes: [CURRENT, RULES, LOOKUP],
      sensitive_expires_at: iso(),
      sensitive_lapsed_at: iso(),
      renewal_grace_ends_at: iso(14 * DAY)
    })
    expect((await refreshed(before)).scope.split(" ")).toEqual([CURRENT, RULES])
    expect(await status(probe(before, CURRENT))).toBe(200)
    await sweep()
    expect(await eventTypes()).toEqual(["sensitive.lapsed"])
    expect(await rulesOfUser(await connectionId())).toMatchObject([{ disabledAt: null }])
  })

  it("sensitive lapsed | renewal consent | within 14 days → live: same connection, rules, places, standard expiry; old tokens revoked, new ones issued", async () => {
    const grant = await connect([CURRENT, RULES, LOOKUP], { standardDays: "90" })
    await addRule(grant)
    const before = (await me(grant)).json as { places_version: number; grant_expires_at: string; sub: string }
    const id = await connectionId()
    world.clock.advance(21 * DAY - 1)
    const old = await refreshed(grant)
    const renewed = await connect([CURRENT, RULES, LOOKUP], {
      shown: "renew_sensitive",
      places: [],
      sensitiveDays: "30"
    })
    expect((await me(renewed)).json).toMatchObject({
      sub: before.sub,
      places_version: before.places_version,
      grant_expires_at: before.grant_expires_at,
      sensitive_expires_at: iso(30 * DAY),
      sensitive_lapsed_at: null
    })
    expect(await status(probe(renewed, LOOKUP))).toBe(200)
    expect(await listed()).toMatchObject([{ id, endedAt: null }])
    expect(await rulesOfUser(id)).toHaveLength(1)
    expect([await status(me(old)), await status(refresh(old.refresh_token))]).toEqual([401, 400])
  })

  it("sensitive lapsed | grace ends | renewal_grace_ends_at passes → removed: 403 missing_scope, sensitive.removed; only full consent brings them back", async () => {
    const grant = await connect([CURRENT, LOOKUP])
    world.clock.advance(21 * DAY - 1)
    const lapsed = await refreshed(grant)
    expect((await probe(lapsed, LOOKUP)).json).toMatchObject({ error: "scope_expired" })
    world.clock.advance(1)
    const removed = {
      scopes: [CURRENT],
      held_scopes: [CURRENT],
      sensitive_expires_at: null,
      sensitive_lapsed_at: null,
      renewal_grace_ends_at: null
    }
    expect((await probe(lapsed, LOOKUP)).json).toMatchObject({ error: "missing_scope" })
    expect((await me(lapsed)).json).toMatchObject(removed)
    await sweep()
    expect(await eventTypes()).toEqual(["sensitive.lapsed", "sensitive.removed"])
    expect((await probe(lapsed, LOOKUP)).json).toMatchObject({ error: "missing_scope" })
    expect((await me(lapsed)).json).toMatchObject(removed)
    // The user opened a renewal page during the grace, and sends its form after the grace. The service must refuse the
    // form, because the sensitive scopes are removed and cannot be renewed.
    await expect(approve([CURRENT, LOOKUP], { shown: "renew_sensitive" })).rejects.toThrow(/outdated|ConsentRefused/)
    expect(await status(probe(await connect([CURRENT, LOOKUP], { shown: "change" }), LOOKUP))).toBe(200)
  })

  it("live (sensitive active) | renewal consent before the date | exactly the held scopes → live: sensitive expiry anew, standard unchanged", async () => {
    await connect([CURRENT, LOOKUP], { standardDays: "90" })
    const ends = iso(90 * DAY)
    world.clock.advance(5 * DAY)
    const renewed = await connect([LOOKUP, CURRENT], { sensitiveDays: "30", standardDays: "1" })
    expect([renewed.refresh_token_expires_at, renewed.sensitive_scopes_expire_at]).toEqual([ends, iso(30 * DAY)])
    world.clock.advance(3 * DAY)
    await sweep()
    expect(await eventTypes()).not.toContain("sensitive.lapsed")
  })

  it("live | change consent | a different scope set → live: both expiries set again; connection, rules, places kept", async () => {
    const grant = await connect([CURRENT, RULES, LOOKUP], { standardDays: "7" })
    await addRule(grant)
    const id = await connectionId()
    world.clock.advance(DAY)
    const changed = await connect([RULES, LOOKUP], { standardDays: "30", sensitiveDays: "1" })
    expect((await me(changed)).json).toMatchObject({
      held_scopes: [RULES, LOOKUP],
      grant_expires_at: iso(30 * DAY),
      sensitive_expires_at: iso(DAY),
      places_version: 1
    })
    expect(await listed()).toMatchObject([{ id, endedAt: null }])
    expect(await rulesOfUser(id)).toHaveLength(1)
    expect(await status(me(grant))).toBe(401)
  })

  const ends: ReadonlyArray<readonly [string, string, (grant: Grant) => Promise<unknown>]> = [
    [
      "user disconnects",
      "user_disconnected",
      async () => user.send("DELETE", `/v1/user/connections/${await connectionId()}`)
    ],
    [
      "admin revokes",
      "admin_revoked",
      async () => {
        const admin = await world.person({ roles: ["admin"] })
        await world.run(revokeApp(admin.account, app.id, Verdict.Note.make("It sold what it saw.")))
      }
    ],
    ["POST /v1/oauth/revoke", "app_revoked_token", (grant) => revoke(grant.access_token)]
  ]
  it.each(ends)(
    "live | %s | any time → ended: all access and refresh tokens die; every rule stops; calls answer 401",
    async (_, reason, end) => {
      const grant = await connect([CURRENT, RULES])
      await addRule(grant)
      const second = await refreshed(grant)
      await end(second)
      for (const one of [grant, second]) expect((await me(one)).json).toMatchObject(invalidToken)
      for (const one of [grant, second]) expect(await status(refresh(one.refresh_token))).toBeGreaterThanOrEqual(400)
      expect(await status(addRule(second))).toBe(401)
      await sweep()
      expect(await listed()).toMatchObject([{ endReason: reason, endedAt: world.clock.now() }])
      expect(await rulesOfUser(await connectionId())).toEqual([])
    }
  )

  it("live | spent refresh token presented | outside the 30-second race window → ended: the family revoked, flagged, user emailed; the user must reconnect", async () => {
    const grant = await connect([CURRENT])
    const second = await refreshed(grant)
    world.clock.advance(30_001)
    expect((await refresh(grant.refresh_token)).json).toMatchObject({ statusCode: 400, error: "invalid_grant" })
    expect(await status(me(second))).toBe(401)
    expect((await refresh(second.refresh_token)).json).toMatchObject({ error: "invalid_grant" })
    const id = await connectionId()
    const after = await world.run(
      Effect.map(MemoryDatabase, ({ flagged, mail }) => ({
        flagged: [...flagged.keys()].filter((one) => one === id).length,
        mails: [...mail.values()].filter(({ dedupeKey }) => dedupeKey === `refresh_token_reused ${id}`).length
      }))
    )
    expect(after).toEqual({ flagged: 1, mails: 1 })
    expect(await status(me(await connect([CURRENT])))).toBe(200)
  })

  it("live | authorization code exchanged a second time with a correct verifier → ended: everything it issued is revoked [§3.1-code-reuse]", async () => {
    const code = await approve([CURRENT])
    const grant = (await exchange(code)).json as Grant
    expect((await exchange(code, `${ConsentFlow.VERIFIER}x`)).json).toMatchObject({ error: "invalid_grant" })
    // The exchange of the code with a wrong verifier must not have ended the connection.
    expect(await listed()).toMatchObject([{ endReason: null }])
    expect((await exchange(code)).json).toMatchObject({ error: "invalid_grant" })
    expect([await status(me(grant)), await status(refresh(grant.refresh_token))]).toEqual([401, 400])
    expect(await listed()).toMatchObject([{ endReason: "code_reused" }])
    const id = await connectionId()
    const eventTypes = await world.run(
      Effect.map(MemoryDatabase, ({ flagged, mail }) => [
        [...flagged.keys()].filter((one) => one === id).length,
        [...mail.values()].filter(({ dedupeKey }) => dedupeKey === `code_reused ${id}`).length
      ])
    )
    expect(eventTypes).toEqual([1, 1])
  })

  it("an exchange can be repeated with the same Idempotency-Key; a key that is not valid is refused and uses nothing up [tokens-1]", async () => {
    const code = await approve([CURRENT])
    const sent = {
      ...client(),
      grantType: "authorization_code",
      code,
      codeVerifier: ConsentFlow.VERIFIER,
      redirectUri: app.redirectUris[0]
    }
    const keyed = (key: string) =>
      world.call("/v1/oauth/token", {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(sent)
      })
    expect((await keyed("a b")).json).toMatchObject({
      statusCode: 400,
      error: "invalid_request",
      message: "Idempotency-Key must be 1 to 255 visible ASCII characters"
    })
    const first = (await keyed("k-1")).json as Grant
    const repeated = (await keyed("k-1")).json as Grant
    expect(repeated.refresh_token).toBe(first.refresh_token)
    expect([await status(me(first)), await status(me(repeated))]).toEqual([200, 200])
    expect((await keyed("k-2")).json).toMatchObject({ error: "invalid_grant" })
    expect(await status(me(first))).toBe(401)
  })

  it("reconnecting an already-connected user rotates the token family in place; standing rules and access-log history survive [§3.1-reconnect]", async () => {
    const grant = await connect([CURRENT, RULES])
    await addRule(grant)
    const id = await connectionId()
    const logged = async () =>
      ((await user.get("/v1/user/access-log")).json as { entries: ReadonlyArray<object> }).entries.length
    const before = await logged()
    const repeated = await connect([CURRENT, RULES])
    expect([await status(me(grant)), await status(me(repeated))]).toEqual([401, 200])
    expect([await connectionId(), (await rulesOfUser(id)).length]).toEqual([id, 1])
    expect(await logged()).toBeGreaterThanOrEqual(before)
  })
})

describe("Spec §4.3, tokens", () => {
  it("1: a refresh answers in the same shape with a new refresh token; scope is re-reported and may be narrower", async () => {
    const grant = await connect([CURRENT, LOOKUP])
    const second = await refreshed(grant)
    expect(Object.keys(second).sort()).toEqual(Object.keys(grant).sort())
    expect(second.refresh_token).not.toBe(grant.refresh_token)
    world.clock.advance(7 * DAY)
    expect((await refreshed(second)).scope).toBe(CURRENT)
  })

  it("2: a spent refresh token within 30 seconds is a race; one that was revoked just fails quietly", async () => {
    const grant = await connect([CURRENT])
    const second = await refreshed(grant)
    world.clock.advance(30_000)
    expect((await refreshed(grant)).refresh_token).toBe(second.refresh_token)
    const repeated = await connect([CURRENT])
    world.clock.advance(DAY)
    expect((await refresh(grant.refresh_token)).json).toMatchObject({ error: "invalid_grant" })
    expect(await status(refresh(repeated.refresh_token))).toBe(200)
  })

  it("3: a failed refresh of a revoked or gone connection answers 400 invalid_grant", async () => {
    const grant = await connect([CURRENT])
    await revoke(grant.refresh_token)
    expect((await refresh(grant.refresh_token)).json).toMatchObject({ statusCode: 400, error: "invalid_grant" })
  })

  it("4: revoke answers 200 with an empty body for a token in any state; 401 means the credentials were wrong", async () => {
    const grant = await connect([CURRENT])
    const second = await refreshed(grant)
    world.clock.advance(DAY)
    for (const token of [
      "unknown",
      grant.refresh_token,
      second.access_token,
      second.refresh_token,
      grant.access_token
    ]) {
      const answer = await revoke(token)
      expect([answer.status, answer.text]).toEqual([200, ""])
    }
    const wrong = await post("/v1/oauth/revoke", { ...client(), clientSecret: "wrong", token: grant.access_token })
    expect([wrong.status, (wrong.json as { error: string }).error]).toEqual([401, "invalid_client"])
    expect(await listed()).toMatchObject([{ endReason: "app_revoked_token" }])
  })
})

describe("Spec §7, errors of scopes and tokens", () => {
  it("403 missing_scope: scope never granted; the message names the scope", async () => {
    const answer = await probe(await connect([CURRENT]), "location.visits.read")
    expect(answer.json).toEqual({
      statusCode: 403,
      error: "missing_scope",
      message: expect.stringContaining("location.visits.read")
    })
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_scope", scope="location.visits.read"'
    )
  })

  it("403 missing_scope: a sensitive scope never granted, also while another one lapsed", async () => {
    const grant = await connect([CURRENT, LOOKUP])
    world.clock.advance(8 * DAY)
    expect((await probe(await refreshed(grant), "location.history.read")).json).toMatchObject({
      error: "missing_scope",
      message: expect.stringContaining("location.history.read")
    })
  })

  it("403 missing_scope: taken from the app by an admin, at once for live tokens [§5.6]", async () => {
    const grant = await connect([CURRENT, LOOKUP])
    expect(await status(probe(grant, CURRENT))).toBe(200)
    await world.run(
      Effect.flatMap(AppStore, (apps) =>
        apps.update(app.id, (before) => ({
          outcome: undefined,
          after: { ...before, app: { ...before.app, allowedScopes: [LOOKUP] } }
        }))
      )
    )
    expect((await probe(grant, CURRENT)).json).toMatchObject({ error: "missing_scope" })
    expect(await status(probe(grant, LOOKUP))).toBe(200)
    expect((await me(grant)).json).toMatchObject({ scopes: [LOOKUP], held_scopes: [LOOKUP] })
  })

  it("403 scope_expired: sensitive tier lapsed; both timestamps; the message says to ask the user to renew", async () => {
    const grant = await connect([CURRENT, LOOKUP])
    const [expired, graceEnds] = [iso(7 * DAY), iso(21 * DAY)]
    world.clock.advance(7 * DAY)
    const answer = await probe(await refreshed(grant), LOOKUP)
    expect([answer.status, answer.json]).toEqual([
      403,
      {
        statusCode: 403,
        error: "scope_expired",
        message: expect.stringMatching(/location\.lookup.*ask the user to renew/),
        sensitive_expired_at: expired,
        renewal_grace_ends_at: graceEnds
      }
    ])
    expect(answer.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="location.lookup"')
  })

  it("401: expired and revoked tokens are indistinguishable [§7-alike]", async () => {
    const [expired, revoked] = [await connect([CURRENT]), await connect([CURRENT])]
    world.clock.advance(HOUR)
    const late = await me(revoked)
    await revoke(revoked.refresh_token)
    const answers = [await me(expired), late, await me(revoked), await world.call("/v1/me")]
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => headers.get("www-authenticate"))).size).toBe(1)
  })
})
