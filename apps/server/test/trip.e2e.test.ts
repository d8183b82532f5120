import { Schema } from "effect"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { verify } from "@place-access/adapters-webhook/verify"
import { describeCitus, describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import { geodesicM } from "../../../packages/domain/test/support/geodesic.js"
import { referenceFirings } from "../../../packages/domain/test/support/referenceRules.js"
import { theBrowser } from "../../../packages/domain/test/support/chromium.js"
import { type Callback, startCallback } from "./support/callback.js"
import { client } from "./support/client.js"
import { approveInBrowser, authorizeUrl, exchangeCode } from "./support/consent.js"
import { addDevice, createApp, createEndpoint, createPlace, createRule, RULES_SCOPE, signUp } from "./support/people.js"
import { ridePast, upload } from "./support/phone.js"
import { pkce } from "./support/pkce.js"
import { useProcesses } from "./support/processes.js"
import { type Receiver, type Received, signatureOf, startReceiver, verifyWithStripe } from "./support/receiver.js"
import { type Service, type Setup, startService } from "./support/service.js"
import { until } from "./support/until.js"

/** The body of an event has these fields and no others, and so no coordinate (Spec §6.2). */
const EventBody = Schema.parseJson(
  Schema.Struct({
    event_id: Schema.String,
    app_id: Schema.String,
    endpoint_id: Schema.String,
    type: Schema.String,
    occurred_at: Schema.String,
    grant_id: Schema.String,
    rule_id: Schema.String,
    target: Schema.Struct({ place_id: Schema.String, label: Schema.String })
  })
)
const decodeEvent = ({ body }: Received) =>
  Schema.decodeUnknownSync(EventBody, { onExcessProperty: "error" })(body.toString("utf8"))

/** The answer of /v1/me (Spec §2.2). */
const Me = Schema.Struct({
  sub: Schema.String,
  external_user_id: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String),
  held_scopes: Schema.Array(Schema.String),
  places_version: Schema.Int,
  grant_expires_at: Schema.NullOr(Schema.String),
  sensitive_expires_at: Schema.NullOr(Schema.String),
  sensitive_lapsed_at: Schema.NullOr(Schema.String),
  renewal_grace_ends_at: Schema.NullOr(Schema.String),
  connected_at: Schema.String
})

const AccessLog = Schema.Struct({
  entries: Schema.Array(
    Schema.Struct({
      at: Schema.String,
      app_id: Schema.String,
      app_name: Schema.String,
      endpoint: Schema.String,
      purpose: Schema.NullOr(Schema.String),
      outcome: Schema.Unknown,
      disclosed: Schema.NullOr(Schema.String)
    })
  ),
  nextCursor: Schema.NullOr(Schema.String)
})

const PLACE = { label: "Corner café", lat: 52.3702, lon: 4.8952, radiusM: 150 }

const journey = (setup: Setup): void => {
  const processes = useProcesses()
  let service: Service
  let browser: Browser
  let callback: Callback
  let receiver: Receiver

  beforeAll(async () => {
    ;[service, browser, callback, receiver] = await Promise.all([
      startService(processes, setup),
      theBrowser(),
      startCallback(),
      startReceiver()
    ])
  })
  afterAll(async () => {
    await Promise.all([callback?.close(), receiver?.close()])
    await service?.close()
  })

  it("from a stranger's sign-up to a verified webhook [§1.1, §1.3]", async () => {
    // The only user of a sandbox app is its developer (decision A1).
    const person = await signUp(service.url, "rider")
    const app = await createApp(person, callback.uri)
    const endpoint = await createEndpoint(person, app, receiver.url)
    const place = await createPlace(person, PLACE)
    const elsewhere = await createPlace(person, { label: "Attic", lat: 48.2, lon: 16.37, radiusM: 150 })
    const deviceToken = await addDevice(person)

    // The user approves in a new browser, which is not signed in.
    const secrets = pkce()
    const { consentText } = await approveInBrowser(
      browser,
      person,
      authorizeUrl(service.url, app, [RULES_SCOPE], secrets, { external_user_id: "customer-7" }),
      [PLACE.label],
      callback
    )
    for (const shown of ["Umbrella", PLACE.label, "Attic"]) expect(consentText).toContain(shown)
    expect(consentText).not.toContain("customer-7")
    const answer = await callback.answer(secrets.state)
    expect(Array.from(answer.keys()).sort()).toEqual(["code", "state"])

    // The rest of the test uses only what the app's server knows: its credentials, and what the service answers.
    const server = client(service.url)
    const tokens = await exchangeCode(server, app, String(answer.get("code")), secrets.verifier)
    expect(tokens.scope).toBe(RULES_SCOPE)
    const token = tokens.access_token
    const me = await server.expect("GET", "/v1/me", { status: 200, as: Me, token })
    expect(me).toMatchObject({
      sub: tokens.sub,
      external_user_id: "customer-7",
      scopes: [RULES_SCOPE],
      held_scopes: [RULES_SCOPE],
      sensitive_expires_at: null
    })
    expect(me.grant_expires_at).toBe(tokens.refresh_token_expires_at)

    const rules = {
      "place.enter": await createRule(server, token, place, "enter"),
      "place.exit": await createRule(server, token, place, "exit")
    }
    const unshared = await server.call("POST", "/v1/rules/place", {
      token,
      json: { type: "enter", place_id: elsewhere.id }
    })
    expect(unshared.status).toBe(404)

    // The phone uploads a ride.
    const startsAt = Date.now()
    const ride = ridePast(place, startsAt)
    const phone = client(service.url)
    expect(await upload(phone, deviceToken, ride)).toEqual({ accepted: ride.length, duplicates: 0, quarantined: 0 })
    expect(await upload(phone, deviceToken, ride)).toEqual({ accepted: 0, duplicates: ride.length, quarantined: 0 })

    // Both webhooks of the ride arrive.
    const received = await receiver.until("both webhooks", (all) => all.length >= 2)
    const events = received.map(decodeEvent).sort((a, b) => (a.type < b.type ? -1 : 1))
    const seen = ride.map((fix) => ({
      capturedAt: Date.parse(fix.captured_at),
      receivedAt: startsAt,
      lat: fix.lat,
      lon: fix.lon,
      accuracy: fix.accuracy_m ?? null
    }))
    expect(events).toEqual(
      (["enter", "exit"] as const).map((type) => ({
        event_id: expect.stringMatching(/^evt_/),
        app_id: app.id,
        endpoint_id: endpoint.id,
        type: `place.${type}`,
        occurred_at: new Date(referenceFirings(seen, place, { type })[0] ?? 0).toISOString(),
        grant_id: expect.any(String),
        rule_id: rules[`place.${type}`],
        target: { place_id: place.id, label: place.label }
      }))
    )
    for (const one of received) {
      verifyWithStripe(one, endpoint.secret)
      expect(() => verifyWithStripe(one, `${endpoint.secret}x`)).toThrow(/signature/)
      const delivery = { payload: one.body, header: signatureOf(one), now: one.receivedAt }
      expect(await verify({ ...delivery, secrets: endpoint.secret })).toMatchObject({ ok: true })
      expect(await verify({ ...delivery, secrets: `${endpoint.secret}x` })).toMatchObject({ ok: false })
      expect(one.headers["content-type"]).toMatch(/^application\/json/)
    }

    // The user reads in the access log which requests the app sent.
    const log = await until("the access log of the deliveries", async () => {
      const page = await person.as.expect("GET", "/v1/user/access-log", { status: 200, as: AccessLog })
      return page.entries.length >= 6 ? page.entries : undefined
    })
    expect(log.every((entry) => entry.app_id === app.id && entry.app_name === "Umbrella")).toBe(true)
    const requests = log.map((entry) => entry.endpoint).filter((name) => /^(?:GET|POST) /.test(name))
    expect(requests.sort()).toEqual([
      "GET /v1/me",
      "POST /v1/rules/place",
      "POST /v1/rules/place",
      "POST /v1/rules/place"
    ])
    const disclosures = log.filter((entry) => !requests.includes(entry.endpoint)).map((entry) => entry.disclosed)
    expect(disclosures.sort()).toEqual([`arrived at ${PLACE.label}`, `left ${PLACE.label}`])

    // The app revokes its refresh token. This ends the connection: the access token is refused, and no rule fires.
    const revoked = await server.call("POST", "/v1/oauth/revoke", {
      json: { clientId: app.id, clientSecret: app.clientSecret, token: tokens.refresh_token }
    })
    expect([revoked.status, revoked.text]).toEqual([200, ""])
    expect((await server.call("GET", "/v1/me", { token })).status).toBe(401)
    const later = ridePast(place).map((fix) => ({ ...fix, accuracy_m: 13 }))
    await upload(phone, deviceToken, later)
    await person.as.expect("POST", `/v1/developer/apps/${app.id}/webhooks/${endpoint.id}/test`, { as: Schema.Unknown })
    const all = await receiver.until("the ping", (some) => some.some(isPing))
    expect(all.filter((one) => !isPing(one))).toHaveLength(2)
    // The webhooks contain no coordinate near the place.
    expect(all.every((one) => !/\b(?:lat|lon)\b/.test(one.body.toString("utf8")))).toBe(true)
    expect(geodesicM(place, elsewhere)).toBeGreaterThan(1_000)
  })

  it("stops on SIGTERM with everything in flight finished", async () => {
    for (const one of [...service.workers(), service.server()]) {
      expect(await one.stop("SIGTERM")).toEqual({ code: 0, signal: null })
    }
  })
}

const isPing = (received: Received): boolean => received.body.includes('"ping"')

const browserMissing = inject("chromiumPath") === null

describe.skipIf(browserMissing)("the whole trip on the embedded database, in one process", () => {
  journey({ database: "embedded" })
})

describe.skipIf(browserMissing)("the whole trip", () => {
  describeServers("a server and two workers", ({ kind }) => journey({ database: kind, workers: 2 }))
  describeCitus("all programs connected to a node that is not the coordinator", () =>
    journey({ database: "citus", workers: 1, node: 2 })
  )
})
