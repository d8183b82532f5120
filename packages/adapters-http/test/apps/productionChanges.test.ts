import type { App } from "@place-access/domain/apps"
import { RedirectUri } from "@place-access/domain/apps"
import { Scope, Timestamp } from "@place-access/domain/shared"
import { MemoryDatabase } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { authorizePath, signedIn } from "../support/browsing.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
let reviewer: Person
beforeAll(async () => {
  world = await startWorld()
  reviewer = await world.person({ roles: ["reviewer"] })
})
afterAll(() => world.close())

const EVIL = {
  name: "Your Bank",
  description: "Official account verification of your bank.",
  homepage_url: "https://evil.example"
}

/** An app in production, by default with two scopes and one redirect URI. */
const live = async (overrides: Partial<App.App> = {}) => {
  const owner = await world.person()
  const { app, clientSecret } = await world.app(owner, {
    status: "production",
    declaredScopes: ["location.place.current", "location.places.watch"],
    ...overrides
  })
  const path = `/v1/developer/apps/${app.id}`
  return {
    owner,
    app,
    clientSecret,
    path,
    get: async () => (await owner.get(path)).json as Record<string, unknown>,
    patch: (body: unknown) => owner.send("PATCH", path, body),
    register: (...redirectUris: ReadonlyArray<string>) =>
      owner.send("POST", `/v1/oauth/clients/${app.id}`, { redirectUris }),
    decide: (body: unknown) => reviewer.send("POST", `/v1/admin/apps/${app.id}/decision`, body)
  }
}

const reviewsOf = async (id: string) => {
  const { reviews } = (await reviewer.get("/v1/admin/reviews?limit=500")).json as {
    readonly reviews: ReadonlyArray<{
      readonly kind: string
      readonly app: { readonly id: string; readonly revision: number }
    }>
  }
  return reviews.filter(({ app }) => app.id === id)
}

/** The app's consent page as a stranger gets it. */
const consentPage = async (app: App.App, more: Readonly<Record<string, string>> = {}) => {
  const stranger = await world.person()
  const browser = await signedIn(world, stranger.account.email)
  return browser.get(authorizePath(app, { scope: "location.place.current", ...more }))
}

describe("an app in production stays what a reviewer approved until another review [M2]", () => {
  it("attack: renamed to a bank with another page and address, a stranger's consent page says what was approved, and leads nowhere else [M2]", async () => {
    const { app, decide, get, patch, register } = await live()
    const renamed = await patch(EVIL)
    expect([renamed.status, renamed.json]).toEqual([
      200,
      expect.objectContaining({
        status: "production",
        name: app.name,
        description: app.description,
        homepage_url: null,
        submitted_at: "2026-03-01T12:00:00.000Z",
        pending: {
          name: { approved: app.name, proposed: EVIL.name },
          description: { approved: app.description, proposed: EVIL.description },
          homepage_url: { approved: null, proposed: EVIL.homepage_url },
          logo: null,
          scopes: null,
          redirect_uris: null
        }
      })
    ])
    const registered = await register("https://evil.example/callback", "https://coffee.example/callback")
    expect([registered.status, registered.json]).toEqual([
      201,
      {
        clientId: app.id,
        clientSecret: expect.any(String),
        redirectUris: ["https://coffee.example/callback"],
        pendingRedirectUris: ["https://evil.example/callback"]
      }
    ])

    const shown = await consentPage(app)
    expect([shown.status, shown.text.includes("Your Bank"), shown.text.includes(app.name)]).toEqual([200, false, true])
    expect(shown.text).not.toContain("evil.example")
    const elsewhere = await consentPage(app, { redirect_uri: "https://evil.example/callback" })
    expect([elsewhere.status, elsewhere.headers.get("location")]).toEqual([400, null])
    const [review, ...others] = await reviewsOf(app.id)
    expect(others).toEqual([])

    const revision = review?.app.revision
    expect((await decide({ decision: "reject", note: "You are no bank.", revision })).status).toBe(200)
    expect(await get()).toMatchObject({ name: app.name, pending: null, review_note: "You are no bank." })
    expect((await consentPage(app, { redirect_uri: "https://evil.example/callback" })).status).toBe(400)
    expect((await consentPage(app)).text).not.toContain("Your Bank")
  })

  it("the portal, its JSON, the access log and mails show the approved name while another waits", async () => {
    const { app, patch } = await live()
    const user = await world.person()
    await world.connect(user, app, { scopes: ["location.place.current"] })
    await patch(EVIL)
    await world.connect(user, app, { scopes: ["location.place.current"] })
    const browser = await signedIn(world, user.account.email)
    for (const path of ["/portal/connections", "/portal/access-log", "/portal/access-log.csv"]) {
      expect([path, (await browser.get(path)).text.includes("Your Bank")]).toEqual([path, false])
    }
    for (const path of ["/v1/user/connections", "/v1/user/access-log"]) {
      expect([path, (await user.get(path)).text.includes("Your Bank")]).toEqual([path, false])
    }
    const mails = await world.run(
      Effect.map(MemoryDatabase, ({ mail }) => [...mail.values()].filter(({ to }) => to === user.account.id))
    )
    expect(mails.length).toBeGreaterThan(0)
    expect(JSON.stringify(mails)).not.toContain("Your Bank")
  })

  it("approved, the change is in force everywhere: the page, the scope and the address", async () => {
    const { app, decide, get, patch, register } = await live()
    await patch({ ...EVIL, scopes: [...app.declaredScopes, "location.visits.read"] })
    await register("https://evil.example/callback")
    const requested = await consentPage(app, { scope: "location.visits.read" })
    expect(requested.headers.get("location")).toContain("error=invalid_scope")
    const [review] = await reviewsOf(app.id)
    expect(review).toMatchObject({
      kind: "app",
      app: {
        name: app.name,
        pending: {
          name: { approved: app.name, proposed: "Your Bank" },
          scopes: {
            approved: ["location.place.current", "location.places.watch"],
            proposed: ["location.place.current", "location.visits.read", "location.places.watch"]
          },
          redirect_uris: {
            approved: ["https://coffee.example/callback"],
            proposed: ["https://evil.example/callback"]
          }
        }
      }
    })
    const decided = await decide({ decision: "approve", revision: review?.app.revision })
    expect(decided.json).toMatchObject({ status: "production", pending: null, name: "Your Bank" })
    expect(await get()).toMatchObject({
      ...EVIL,
      scopes: ["location.place.current", "location.visits.read", "location.places.watch"],
      redirect_uris: ["https://evil.example/callback"],
      submitted_at: null,
      pending: null
    })
    const shown = await consentPage(app, {
      scope: "location.visits.read",
      redirect_uri: "https://evil.example/callback"
    })
    expect([shown.status, shown.text.includes("Your Bank")]).toEqual([200, true])
    expect((await consentPage(app)).status).toBe(400)
  })

  it("what waits is withdrawn as a whole: what was approved stays, the queue is left, and the reviewer who read it is too late [apps-4]", async () => {
    const { app, decide, get, owner, patch, path, register } = await live()
    await patch({ ...EVIL, scopes: [...app.declaredScopes, "location.visits.read"] })
    await register("https://evil.example/callback")
    const [review] = await reviewsOf(app.id)
    const withdrawn = await owner.send("POST", `${path}/withdraw`)
    expect([withdrawn.status, withdrawn.json]).toEqual([
      200,
      expect.objectContaining({
        status: "production",
        name: app.name,
        description: app.description,
        homepage_url: null,
        scopes: app.declaredScopes,
        redirect_uris: ["https://coffee.example/callback"],
        submitted_at: null,
        pending: null
      })
    ])
    expect(await get()).toEqual(withdrawn.json)
    expect(await reviewsOf(app.id)).toEqual([])
    expect((await decide({ decision: "approve", revision: review?.app.revision })).status).toBe(409)
    const repeated = await owner.send("POST", `${path}/withdraw`)
    expect([repeated.status, repeated.json]).toEqual([
      409,
      {
        statusCode: 409,
        error: "conflict",
        message: expect.stringContaining("no change to the app waits for a reviewer")
      }
    ])
    expect((await reviewer.send("POST", `${path}/withdraw`)).status).toBe(404)

    // After a withdrawal, the developer proposes a change once more. A decision on the withdrawn revision must not
    // approve the new proposal.
    await patch({ name: "Your Bank" })
    expect((await decide({ decision: "approve", revision: review?.app.revision })).status).toBe(409)
    expect(await get()).toMatchObject({ name: app.name, pending: { name: { proposed: "Your Bank" } } })
  })

  it("what waits is withdrawn by setting it back, and leaves the queue; a further edit replaces what waited [apps-4]", async () => {
    const { app, get, patch, register } = await live()
    await patch({ name: "Your Bank" })
    await patch({ name: "Tea Finder" })
    expect(await get()).toMatchObject({ pending: { name: { proposed: "Tea Finder" } } })
    await patch({ name: app.name })
    expect(await get()).toMatchObject({ pending: null, submitted_at: null })
    expect(await reviewsOf(app.id)).toEqual([])
    await register("https://evil.example/cb")
    expect(await reviewsOf(app.id)).toHaveLength(1)
    const back = await register("https://coffee.example/callback")
    expect(back.json).toMatchObject({ redirectUris: ["https://coffee.example/callback"], pendingRedirectUris: [] })
    expect(await reviewsOf(app.id)).toEqual([])
  })

  it("a decision on words that were changed since is 409; each decision is kept with who, when, note and what it was about [apps-4]", async () => {
    const { app, decide, patch } = await live()
    await patch({ name: "Your Bank" })
    const [before] = await reviewsOf(app.id)
    await patch({ name: "Your Other Bank" })
    expect((await decide({ decision: "approve", revision: before?.app.revision })).status).toBe(409)
    const [review] = await reviewsOf(app.id)
    const revision = review?.app.revision
    world.clock.advance(1_000)
    expect((await decide({ decision: "reject", note: "No bank.", revision })).status).toBe(200)
    expect((await decide({ decision: "approve", revision })).status).toBe(409)
    const { decisions } = (await reviewer.get(`/v1/admin/apps/${app.id}/decisions`)).json as {
      readonly decisions: ReadonlyArray<unknown>
    }
    expect(decisions).toEqual([
      {
        id: expect.any(String),
        at: expect.any(String),
        decision: "rejected",
        note: "No bank.",
        by: { id: reviewer.account.id, display_name: reviewer.account.displayName },
        subject: {
          kind: "app",
          id: app.id,
          name: app.name,
          scopes: app.declaredScopes,
          allowed_scopes: null,
          change: {
            name: { approved: app.name, proposed: "Your Other Bank" },
            description: null,
            homepage_url: null,
            logo: null,
            scopes: null,
            redirect_uris: null
          }
        }
      }
    ])
  })
})

describe("scopes of an app in production [M2]", () => {
  it("one that was approved and dropped comes back by PATCH at once; a new one waits for a reviewer [M2]", async () => {
    const { app, get, patch } = await live()
    const dropped = await patch({ scopes: ["location.place.current"] })
    expect(dropped.json).toMatchObject({ scopes: ["location.place.current"], pending: null })
    const back = await patch({ scopes: ["location.place.current", "location.places.watch"] })
    expect([back.status, back.json]).toMatchObject([200, { scopes: app.declaredScopes, pending: null }])
    await patch({ scopes: ["location.visits.read"] })
    // The change adds a scope that is not approved and drops all others. Without an approved scope the app could do
    // nothing, so the approved scopes stay until a reviewer decides.
    expect(await get()).toMatchObject({
      scopes: app.declaredScopes,
      pending: { scopes: { approved: app.declaredScopes, proposed: ["location.visits.read"] } }
    })
  })

  it("all scopes of the catalogue, dropped one by one, come back at once", async () => {
    const { get, patch } = await live({ declaredScopes: Scope.all })
    await patch({ scopes: ["location.lookup"] })
    await patch({ scopes: Scope.all })
    expect(await get()).toMatchObject({ scopes: Scope.all, pending: null })
  })
})

describe("POST /v1/oauth/clients/{app_id} of an app in production", () => {
  it("another path on an origin that was approved works at once; each answer has a secret that works", async () => {
    const { app, register } = await live()
    const answer = await register("https://coffee.example/other", "https://COFFEE.example:443/callback?x=1")
    expect([answer.status, answer.json]).toMatchObject([
      201,
      {
        redirectUris: ["https://coffee.example/other", "https://COFFEE.example:443/callback?x=1"],
        pendingRedirectUris: []
      }
    ])
    expect((await consentPage(app, { redirect_uri: "https://coffee.example/other" })).status).toBe(200)
  })

  it.each([
    ["another host", "https://coffee.example.evil.example/callback"],
    ["another port", "https://coffee.example:8443/callback"],
    ["http", "http://localhost:3000/callback"],
    ["a private scheme", "com.evil.app:/callback"]
  ])("%s is another origin: it waits [apps-5]", async (_, uri) => {
    const { app, register } = await live()
    const answer = await register(uri)
    expect(answer.json).toMatchObject({ redirectUris: app.redirectUris, pendingRedirectUris: [uri] })
    expect((await consentPage(app, { redirect_uri: RedirectUri.RedirectUri.make(uri) })).status).toBe(400)
  })

  it("a revoked app gets 409", async () => {
    const { register } = await live({ revokedAt: Timestamp.make(1) })
    expect((await register("https://evil.example/cb")).status).toBe(409)
  })
})
