import { type App } from "@place-access/domain/apps"
import { startConsent } from "@place-access/domain/consent"
import { createPlace, Place } from "@place-access/domain/places"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import { Timestamp } from "@place-access/domain/shared"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bearer, PASSWORD, type Person, startWorld, type World } from "../support/World.js"

const CURRENT = "location.place.current"
const LATEST = "location.latest.read"

let world: World
let user: Person
let app: App.App
/** An app of the person that may ask for the latest location. */
const appWithPurpose = async (person: Person) => {
  const made = await world.app(person)
  const terms = { description: "To have your coffee ready.", scopes: [LATEST], expectedDailyVolume: 20 } as const
  await world.run(createPurpose(person.account, made.app.id, { key: Purpose.PurposeKey.make("order_ahead"), terms }))
  return made.app
}

beforeAll(async () => {
  world = await startWorld()
  user = await world.person()
  app = await appWithPurpose(user)
})
afterAll(() => world.close())

const ask = (...scopes: ReadonlyArray<string>) => askFor(app, ...scopes)
const askFor = async ({ id, redirectUris }: App.App, ...scopes: ReadonlyArray<string>) => {
  const parameters = {
    client_id: id,
    redirect_uri: redirectUris[0] ?? "",
    scope: scopes.join(" "),
    code_challenge: "A".repeat(43),
    code_challenge_method: "S256",
    state: "state-of-the-app"
  }
  return (await world.run(startConsent(parameters, world.url))).id
}

const review = async (id: string, who = user) => (await who.get(`/v1/user/consent-requests/${id}`)).json
const decide = (id: string, body: unknown, who = user) =>
  who.send("POST", `/v1/user/consent-requests/${id}/decision`, body)

describe("/v1/user/consent-requests", () => {
  it("a first consent: everything that the page shows, then the answer to send the browser to", async () => {
    const home = await world.run(
      createPlace(user.account.id, {
        label: Place.Label.make("Home"),
        kind: "home",
        circle: { lat: 52.52, lon: 13.405, radiusM: 150 }
      })
    )
    const id = await ask(CURRENT, LATEST)
    expect(await review(id)).toEqual({
      id,
      mode: "new",
      app: {
        id: app.id,
        name: app.name,
        description: app.description,
        homepage_url: null,
        status: "sandbox",
        developer_name: user.account.displayName,
        redirect_origin: "https://coffee.example"
      },
      scopes: [
        {
          scope: CURRENT,
          sensitive: false,
          description: "See which of the places you share you are at now",
          purposes: [],
          held_before: null,
          preselected: true
        },
        {
          scope: LATEST,
          sensitive: true,
          description: "See your latest exact location",
          purposes: ["To have your coffee ready."],
          held_before: null,
          preselected: false
        }
      ],
      leaving: [],
      asks_places: true,
      asks_standard_days: true,
      places: [{ id: home.id, label: "Home", kind: "home", preselected: false, earlier_visits_preselected: false }],
      previous: null,
      uses: null,
      standard_options: [
        { days: 1, ends_at: "2026-03-02T12:00:00.000Z", preselected: false },
        { days: 7, ends_at: "2026-03-08T12:00:00.000Z", preselected: false },
        { days: 30, ends_at: "2026-03-31T12:00:00.000Z", preselected: true },
        { days: 90, ends_at: "2026-05-30T12:00:00.000Z", preselected: false },
        { days: "never", ends_at: null, preselected: false }
      ],
      sensitive_options: [
        { days: 1, ends_at: "2026-03-02T12:00:00.000Z", preselected: false },
        { days: 7, ends_at: "2026-03-08T12:00:00.000Z", preselected: false },
        { days: 30, ends_at: "2026-03-31T12:00:00.000Z", preselected: true },
        { days: 90, ends_at: "2026-05-30T12:00:00.000Z", preselected: false }
      ],
      phone_has_sent: false
    })
    const body = {
      decision: "allow",
      mode: "new",
      scopes: [CURRENT, LATEST],
      places: [{ id: home.id, include_earlier_visits: true }],
      standard_days: "never",
      sensitive_days: 7
    }
    const answer = await decide(id, body)
    expect(answer.status).toBe(200)
    const { redirect_to } = answer.json as { redirect_to: string }
    expect(redirect_to).toMatch(/^https:\/\/coffee\.example\/callback\?code=pa_ac\..*&state=state-of-the-app$/)
    // Only the first decision on a consent request counts. A second decision must change nothing.
    expect((await decide(id, { decision: "cancel" })).json).toEqual({ redirect_to })
    const { connections } = (await user.get("/v1/user/connections")).json as {
      connections: ReadonlyArray<Record<string, unknown>>
    }
    expect(connections[0]).toMatchObject({
      held_scopes: [CURRENT, LATEST],
      grant_expires_at: null,
      sensitive_expires_at: "2026-03-08T12:00:00.000Z",
      places: [{ id: home.id, include_earlier_visits: true }],
      last_used_at: null
    })
  })

  it("a renewal: uses by purpose; the days are enough; stop takes the exact location away", async () => {
    const { accessToken } = await world.connect(user, app, { scopes: [CURRENT, LATEST], standardDays: "never" })
    await world.call("/v1/me", bearer(accessToken))
    const id = await ask(CURRENT, LATEST)
    expect(await review(id)).toMatchObject({
      mode: "renew_sensitive",
      asks_places: false,
      asks_standard_days: false,
      uses: {
        since: "2025-12-01T12:00:00.000Z",
        by_purpose: [{ purpose: expect.stringMatching(/^pps_/), description: "To have your coffee ready.", count: 0 }],
        without_purpose: 1
      }
    })
    const [listed] = ((await user.get("/v1/user/connections")).json as { connections: Array<{ id: string }> })
      .connections
    expect(listed).toMatchObject({ last_used_at: "2026-03-01T12:00:00.000Z" })
    const uses = (await user.get(`/v1/user/connections/${listed?.id}/uses`)).json
    expect(uses).toEqual(((await review(id)) as { uses: unknown }).uses)

    expect((await decide(id, { decision: "allow", mode: "renew_sensitive", sensitive_days: 90 })).status).toBe(200)
    const renewed = (await user.get(`/v1/user/connections/${listed?.id}`)).json
    expect(renewed).toMatchObject({ held_scopes: [CURRENT, LATEST], sensitive_expires_at: "2026-05-30T12:00:00.000Z" })
    const stop = await decide(await ask(CURRENT, LATEST), { decision: "stop", mode: "renew_sensitive" })
    expect((stop.json as { redirect_to: string }).redirect_to).toContain("error=access_denied")
    const stopped = (await user.get(`/v1/user/connections/${listed?.id}`)).json
    expect(stopped).toMatchObject({ live: true, held_scopes: [CURRENT], sensitive_expires_at: null })
    // The user pressed "Stop sharing" on the app's renewal page, and not in the portal.
    const { text } = await user.get(`/portal/connections/${listed?.id}/history`)
    expect(text).toMatch(/<h2>Exact location ended<\/h2>[^]*?By whom: you changed it yourself</)
  })

  it("a change: what the connection has now, place by place, and both of its ends", async () => {
    const person = await world.person()
    const own = await appWithPurpose(person)
    const circle = { lat: 52.52, lon: 13.405, radiusM: 150 }
    const [gym, home, work] = await Promise.all(
      ["Gym", "Home", "Work"].map((label) =>
        world.run(createPlace(person.account.id, { label: Place.Label.make(label), kind: "other", circle }))
      )
    )
    const first = await decide(
      await askFor(own, CURRENT, LATEST),
      {
        decision: "allow",
        scopes: [CURRENT, LATEST],
        places: [{ id: home!.id, include_earlier_visits: true }, { id: work!.id }],
        standard_days: 90,
        sensitive_days: 7
      },
      person
    )
    expect(first.status).toBe(200)
    const shown = (await review(await askFor(own, CURRENT), person)) as { places: ReadonlyArray<{ id: string }> }
    expect(shown).toMatchObject({
      mode: "change",
      previous: {
        connected_at: "2026-03-01T12:00:00.000Z",
        grant_expires_at: "2026-05-30T12:00:00.000Z",
        sensitive_expires_at: "2026-03-08T12:00:00.000Z",
        pause: null
      }
    })
    const of = (id: string | undefined) => shown.places.find((place) => place.id === id)
    expect(of(gym?.id)).toMatchObject({ preselected: false, earlier_visits_preselected: false })
    expect(of(home?.id)).toMatchObject({ preselected: true, earlier_visits_preselected: true })
    expect(of(work?.id)).toMatchObject({ preselected: true, earlier_visits_preselected: false })
  })

  it("exact location without an end date is shared only after a fresh sign-in; with an end date it needs none [accounts-18]", async () => {
    const person = await world.person()
    const own = await appWithPurpose(person)
    world.clock.advance(15 * Timestamp.MINUTE)
    const allow = { decision: "allow", scopes: [CURRENT, LATEST], places: [] }
    const [id, other] = [await askFor(own, CURRENT, LATEST), await askFor(own, CURRENT, LATEST)]
    const refused = await decide(id, { ...allow, standard_days: "never" }, person)
    expect(refused.json).toMatchObject({ statusCode: 403, error: "confirmation_required" })
    expect((await person.get("/v1/user/connections")).json).toMatchObject({ connections: [] })
    expect((await decide(other, { ...allow, standard_days: 90 }, person)).status).toBe(200)
    await person.send("POST", "/v1/session/confirmation", { password: PASSWORD })
    expect((await decide(id, { ...allow, standard_days: "never" }, person)).status).toBe(200)
    world.clock.advance(-15 * Timestamp.MINUTE)
  })

  it("400 with every fault; 404 unknown; 403 somebody else's sandbox; 409 decided, outdated or too old; 401 signed out", async () => {
    const id = await ask(CURRENT)
    const bad = await decide(id, { decision: "maybe", standard_days: 2, sensitive_days: "never" })
    expect([bad.status, (bad.json as { message: ReadonlyArray<string> }).message.length]).toEqual([400, 3])
    const none = await decide(id, { decision: "allow", scopes: [] })
    expect(none.json).toMatchObject({ error: "validation_failed", message: "scopes choose at least one, or cancel" })
    const foreign = await decide(id, { decision: "allow", scopes: [LATEST], places: [{ id: "plc_unknown" }] })
    expect(foreign.json).toMatchObject({
      message: ["scopes must be among the scopes that the app asked for", "places must be among your places"]
    })
    const status = async (path: string, who = user) => (await who.get(path)).status
    expect(await status("/v1/user/consent-requests/crq_unknown")).toBe(404)
    expect((await decide("crq_unknown", { decision: "allow" })).status).toBe(404)
    const stranger = await world.person()
    expect(await status(`/v1/user/consent-requests/${id}`, stranger)).toBe(403)
    expect((await decide(id, { decision: "allow", scopes: [CURRENT] }, stranger)).status).toBe(403)
    const outdated = await decide(id, { decision: "allow", mode: "renew_sensitive", scopes: [CURRENT] })
    expect([outdated.status, outdated.json]).toMatchObject([409, { message: expect.stringContaining("has changed") }])
    await decide(id, { decision: "cancel" })
    expect(await status(`/v1/user/consent-requests/${id}`)).toBe(409)
    const old = await ask(CURRENT)
    world.clock.advance(Timestamp.HOUR)
    expect(await status(`/v1/user/consent-requests/${old}`)).toBe(409)
    expect((await decide(old, { decision: "allow", scopes: [CURRENT] })).status).toBe(409)
    world.clock.advance(-Timestamp.HOUR)
    expect((await world.call(`/v1/user/consent-requests/${old}`)).status).toBe(401)
  })

  it("a decision is repeated, also with a key, until its address is no longer registered [consent-6, idempotency-1]", async () => {
    const other = await world.app(user)
    const parameters = {
      client_id: other.app.id,
      redirect_uri: other.app.redirectUris[0] ?? "",
      scope: CURRENT,
      code_challenge: "A".repeat(43),
      code_challenge_method: "S256",
      state: "state-of-the-app"
    }
    const { id } = await world.run(startConsent(parameters, world.url))
    const keyed = () =>
      user.send(
        "POST",
        `/v1/user/consent-requests/${id}/decision`,
        { decision: "allow", scopes: [CURRENT], places: [] },
        { headers: { "idempotency-key": "the-same" } }
      )
    const first = await keyed()
    expect(first.status).toBe(200)
    expect((await keyed()).json).toEqual(first.json)
    const uris = { redirectUris: ["https://elsewhere.example/callback"] }
    expect((await user.send("POST", `/v1/oauth/clients/${other.app.id}`, uris)).status).toBe(201)
    expect((await keyed()).status).toBe(409)
  })

  it("a decision made with the cookie needs an Origin of ours", async () => {
    const id = await ask(CURRENT)
    const forged = await user.send(
      "POST",
      `/v1/user/consent-requests/${id}/decision`,
      { decision: "allow", scopes: [CURRENT] },
      { headers: { origin: "https://evil.example" } }
    )
    expect(forged.status).toBe(403)
    expect(await review(id)).toMatchObject({ id })
  })
})

it("the history and its receipts say which places share visits from before the sharing, in API and page [connection-7]", async () => {
  const person = await world.person()
  const label = Place.Label.make("Cabin")
  const circle = { lat: 52.52, lon: 13.405, radiusM: 150 }
  const { id } = await world.run(createPlace(person.account.id, { label, kind: "other", circle }))
  await world.connect(person, (await world.app(person)).app, { scopes: [CURRENT], places: [id] })
  const listed = (await person.get("/v1/user/connections")).json as { connections: ReadonlyArray<{ id: string }> }
  const path = `connections/${listed.connections[0]?.id}`
  const share = (include_earlier_visits: boolean) =>
    person.send("PUT", `/v1/user/${path}/places`, { places: [{ id, include_earlier_visits }] })
  world.clock.advance(1_000)
  await share(true)
  world.clock.advance(1_000)
  await share(false)
  const [withdrawn, shared, connected] = (
    (await person.get(`/v1/user/${path}/history`)).json as { history: ReadonlyArray<Readonly<Record<string, unknown>>> }
  ).history
  const none = { scopes: [], places: [], earlier_visits: [] }
  const one = { ...none, earlier_visits: [id] }
  expect(withdrawn).toMatchObject({ change: "places_changed", earlier_visits: [], added: none, removed: one })
  expect(shared).toMatchObject({ change: "places_changed", earlier_visits: [id], added: one, removed: none })
  expect(connected).toMatchObject({ change: "connected", earlier_visits: [] })

  const { text } = await person.get(`/portal/${path}/history`)
  expect(text).toMatch(/Removed<\/span>\s*Visits from before it was shared too, for Cabin/)
  expect(text).toMatch(/Added<\/span>\s*Visits from before it was shared too, for Cabin/)
  const receipts = [...text.matchAll(/href="([^"]+\/history\/[^"]+)"/g)].map(([, address = ""]) => address)
  const heading = "Visits from before they were shared too, for these places:"
  expect((await person.get(receipts[0] ?? "")).text).toContain(`${heading}\n  nothing\n`)
  expect((await person.get(receipts[1] ?? "")).text).toContain(`${heading}\n  - Cabin\n`)
})
