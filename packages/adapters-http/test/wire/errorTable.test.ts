import { Timestamp } from "@place-access/domain/shared"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connected, CURRENT, LATEST, LOOKUP, RULES, saying, tokensIn } from "../support/connected.js"
import { bearer, PASSWORD, startWorld, type World } from "../support/World.js"
import { type Answer, jsonBody } from "../support/wire.js"

const { DAY } = Timestamp

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const later = (millis: number) => Timestamp.toIso(Timestamp.make(world.clock.now() + millis))

/** Checks that the body has exactly the three fields of Spec §7. `call` has left out the fields of decision wire-4. */
const refused = (answer: Answer, statusCode: number, error: string, message: unknown = expect.any(String)) => {
  expect([answer.status, answer.json]).toEqual([statusCode, { statusCode, error, message }])
}

/** The rows of Spec §7 that have a route. docs/coverage.md says where the other rows are tested. */
describe("the rows of Spec §7", () => {
  it("400 invalid_purpose | missing or unknown purpose, a draft on a production app, or one not covering the scope [§7-invalid-purpose]", async () => {
    const one = await connected(world)
    const ask = async (token: string, purpose: string) => world.call(`/v1/locations/latest${purpose}`, bearer(token))
    const { access_token } = await one.connect([LATEST, LOOKUP])
    const terms = { description: "Where you were, nothing else", scopes: [LOOKUP] as const, expectedDailyVolume: 5 }
    await world.run(Fixtures.purpose(one.app.id, "only_lookup", { terms }))
    for (const purpose of ["", "?purpose=no_such_one", "?purpose=only_lookup"]) {
      refused(await ask(access_token, purpose), 400, "invalid_purpose")
    }
    expect((await ask(access_token, "?purpose=order_ahead")).status).toBe(200)

    const { app } = await world.app(await world.person(), { status: "production" })
    const approved = { ...terms, scopes: [LATEST] as const }
    await world.run(Fixtures.purpose(app.id, "approved_one", { status: "approved", terms: approved, approved }))
    await world.run(Fixtures.purpose(app.id, "a_draft"))
    const { accessToken } = await world.connect(one.person, app, { scopes: [LATEST] })
    expect((await ask(accessToken, "?purpose=approved_one")).status).toBe(200)
    refused(await ask(accessToken, "?purpose=a_draft"), 400, "invalid_purpose")
  })

  it("403 scope_expired | sensitive tier lapsed; with both dates, and the message says to ask the user to renew [§7-scope-expired]", async () => {
    const one = await connected(world)
    const grant = await one.connect([LATEST], { sensitiveDays: "1" })
    const [sensitive_expired_at, renewal_grace_ends_at] = [later(DAY), later(15 * DAY)]
    world.clock.advance(DAY)
    const { access_token } = tokensIn(await one.refresh(grant.refresh_token))
    const { json, status } = await world.call("/v1/locations/latest?purpose=order_ahead", bearer(access_token))
    expect([status, json]).toEqual([
      403,
      {
        statusCode: 403,
        error: "scope_expired",
        message: expect.stringContaining("ask the user to renew"),
        sensitive_expired_at,
        renewal_grace_ends_at
      }
    ])
  })

  it("400 webhook_url_not_registered | webhook_url does not exactly match a registered endpoint [§7-webhook-url]", async () => {
    const one = await connected(world)
    const { access_token } = await one.connect([RULES])
    const url = "https://hooks.example.com/in"
    refused(await one.createRule(access_token, { webhook_url: url }), 400, "webhook_url_not_registered")
  })

  it("400 (validation) | window already closed or ending before it starts; invalid fields [§4.6.6-window, §7-validation]", async () => {
    const one = await connected(world)
    const { access_token } = await one.connect([RULES])
    const says = (pattern: RegExp): unknown => expect.stringMatching(pattern)
    const wrong: ReadonlyArray<readonly [object, RegExp]> = [
      [{ active_until: later(-1) }, /^active_until /],
      [{ active_from: later(2_000), active_until: later(1_000) }, /^active_until /],
      [{ type: "dwell" }, /^dwell_minutes /],
      [{ max_event_age_s: 3_601 }, /^max_event_age_s /]
    ]
    for (const [fields, pattern] of wrong) {
      refused(await one.createRule(access_token, fields), 400, "validation_failed", says(pattern))
    }
    const both = await one.createRule(access_token, { type: "walk", max_event_age_s: 29 })
    refused(both, 400, "validation_failed", expect.arrayContaining([says(/^type /), says(/^max_event_age_s /)]))
  })

  it("401 (token) | missing, malformed, revoked or expired; standard tier ended; disconnected user: one answer for all [§7-token]", async () => {
    const one = await connected(world)
    const answers = [await world.call("/v1/me"), await one.me("malformed")]

    const revoked = await one.connect([RULES])
    await one.revoke(revoked.access_token)
    answers.push(await one.me(revoked.access_token))

    const expired = await one.connect([RULES])
    world.clock.advance(3_600_000)
    answers.push(await one.me(expired.access_token))

    await one.connect([RULES], { standardDays: "1" })
    const { access_token, refresh_token } = await one.connect([RULES], { standardDays: "1" })
    world.clock.advance(DAY - 1)
    const last = tokensIn(await one.refresh(refresh_token))
    world.clock.advance(1)
    answers.push(await one.me(last.access_token), await one.me(access_token))

    const disconnected = await one.connect([RULES])
    const { id } = await one.connection()
    await one.person.send("DELETE", `/v1/user/connections/${id}`)
    answers.push(await one.me(disconnected.access_token))

    const [first] = answers
    for (const answer of answers) {
      refused(answer, 401, "invalid_token")
      expect(answer.text).toBe(first?.text)
      expect(answer.headers.get("www-authenticate")).toBe(first?.headers.get("www-authenticate"))
    }
    // After a 401, a client should refresh its token once. The answer to this refresh says that the user must connect
    // once more.
    expect(saying(await one.refresh(refresh_token))).toEqual([400, "invalid_grant"])
  })

  it("401 (client) | on /v1/oauth/revoke: wrong client credentials [§7-client]", async () => {
    const one = await connected(world)
    const { access_token } = await one.connect([RULES])
    refused(await one.revoke(access_token, { clientSecret: "wrong" }), 401, "invalid_client")
    expect((await one.me(access_token)).status).toBe(200)
  })

  it("403 missing_scope | scope never granted, or removed; the message names the scope [§7-missing-scope]", async () => {
    const one = await connected(world)
    const named: unknown = expect.stringContaining(RULES)
    const without = await one.connect([CURRENT])
    refused(await one.createRule(without.access_token), 403, "missing_scope", named)
    const granted = await one.connect([CURRENT, RULES])
    expect((await one.rules(granted.access_token)).status).toBe(200)
    await one.person.send("PATCH", `/v1/developer/apps/${one.app.id}`, { scopes: [CURRENT] })
    refused(await one.createRule(granted.access_token), 403, "missing_scope", named)
  })

  it("404 | resource does not exist or is not visible to the app (including a withdrawn place): one answer for all [§7-not-found]", async () => {
    const one = await connected(world)
    const { access_token } = await one.connect([RULES])
    const made = await one.person.send("POST", "/v1/user/places", { label: "Attic", kind: "other", lat: 48, lon: 16 })
    const unshared = (made.json as { id: string }).id
    const { id } = await one.connection()
    const withdrawn = await one.person.send("PUT", `/v1/user/connections/${id}/places`, { places: [] })
    expect(withdrawn.status).toBe(200)
    const answers = [
      await one.createRule(access_token, { place_id: "plc_unknown" }),
      await one.createRule(access_token, { place_id: unshared }),
      await one.createRule(access_token)
    ]
    for (const answer of answers) {
      refused(answer, 404, "not_found")
      expect(answer.text).toBe(answers[0]?.text)
    }
  })

  it("409 | rule would push concurrency above ten active rules; names the instant [§7-rule-limit]", async () => {
    const one = await connected(world)
    const { access_token } = await one.connect([RULES])
    const window = { active_from: later(60_000), active_until: later(120_000) }
    for (let made = 0; made < 10; made++) {
      expect((await one.createRule(access_token, window)).status).toBe(201)
    }
    const eleventh = await one.createRule(access_token)
    expect([eleventh.status, eleventh.json]).toEqual([
      409,
      {
        statusCode: 409,
        error: "rule_limit_reached",
        message: expect.any(String),
        instant: window.active_from
      }
    ])
    // The error names the moment at which there would be too many rules. The app may make an eleventh rule that ends at
    // this moment.
    expect((await one.createRule(access_token, { active_until: window.active_from })).status).toBe(201)
  })

  it("429 | rate limit, of sign-in: with the time to wait [§7-too-many]", async () => {
    const { account } = await world.person()
    const signIn = (password: string) =>
      world.call("/v1/session", { method: "POST", ...origin(jsonBody({ email: account.email, password })) })
    for (let tried = 0; tried < 5; tried++) expect((await signIn("wrong horse battery")).status).toBe(401)
    const limited = await signIn(PASSWORD)
    refused(limited, 429, "rate_limited")
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("(token endpoint) invalid_grant | refresh failed because the connection is gone; code reused or expired [§7-invalid-grant]", async () => {
    const one = await connected(world)
    const late = await one.approve([RULES])
    world.clock.advance(60_000)
    refused(await one.exchange(late), 400, "invalid_grant")
    const code = await one.approve([RULES])
    world.clock.advance(59_999)
    const issued = tokensIn(await one.exchange(code))
    world.clock.advance(30_001)
    refused(await one.exchange(code), 400, "invalid_grant")
    refused(await one.refresh(issued.refresh_token), 400, "invalid_grant")
    const wrong = await one.exchange(await one.approve([RULES]), { codeVerifier: `${ConsentFlow.VERIFIER}x` })
    refused(wrong, 400, "invalid_grant")
  })
})

const origin = ({ headers, ...init }: RequestInit): RequestInit => ({
  ...init,
  headers: { ...(headers as Record<string, string>), origin: world.url }
})
