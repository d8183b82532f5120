import { ConsentStore } from "@place-access/domain/consent"
import { RedirectUri } from "@place-access/domain/apps"
import { type AuthorizeRequest, startConsent } from "@place-access/domain/consent"
import type { Scope } from "@place-access/domain/shared"
import { ConsentFlow, MemoryDatabase } from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { inWorld, pair, purpose } from "../support/connections.js"

const SCOPES = ["location.place.current", "location.visits.read"] as const

const start = (
  app: Parameters<typeof ConsentFlow.parameters>[0],
  overrides: AuthorizeRequest.Parameters,
  scopes: ReadonlyArray<Scope.Scope> = SCOPES
) =>
  Effect.gen(function* () {
    const parameters = yield* ConsentFlow.parameters(app, scopes, overrides)
    return yield* Effect.either(startConsent(parameters, ConsentFlow.ISSUER))
  })

/** Makes a request that must be refused, and returns the parameters of the redirect to the app. */
const errorResponse = (overrides: AuthorizeRequest.Parameters, appOverrides: Parameters<typeof pair>[0] = {}) =>
  inWorld(
    Effect.gen(function* () {
      const { app } = yield* pair(appOverrides)
      const refused = Either.getOrThrow(Either.flip(yield* start(app, overrides)))
      if (refused._tag !== "AuthorizeRedirect") throw new Error(`refused with ${refused._tag}`)
      expect(refused.uri.startsWith("https://coffee.example/callback?")).toBe(true)
      const answer = ConsentFlow.answer(refused.uri)
      expect([answer["error"], answer["state"]]).toEqual([refused.error, ConsentFlow.STATE])
      expect(answer["error_description"]).not.toBe("")
      expect((yield* MemoryDatabase).consentRequests.size).toBe(0)
      return answer
    })
  )

const shownPage = (overrides: AuthorizeRequest.Parameters, appOverrides: Parameters<typeof pair>[0] = {}) =>
  inWorld(
    Effect.gen(function* () {
      const { app } = yield* pair(appOverrides)
      const refused = Either.getOrThrow(Either.flip(yield* start(app, overrides)))
      if (refused._tag !== "AuthorizePage") throw new Error(`refused with ${refused._tag}`)
      expect((yield* MemoryDatabase).consentRequests.size).toBe(0)
      return refused.parameter
    })
  )

describe("GET /authorize", () => {
  it("keeps what it asked for, scopes in catalogue order and once", () =>
    inWorld(
      Effect.gen(function* () {
        const { app } = yield* pair()
        const scope = "location.visits.read  location.place.current location.visits.read"
        const outcome = yield* start(app, { scope, external_user_id: "user-7", unknown: ["a", "b"] })
        const request = Either.getOrThrow(outcome)
        expect(request).toMatchObject({
          appId: app.id,
          scopes: SCOPES,
          externalUserId: "user-7",
          answersIssuer: false,
          decided: null
        })
        expect(yield* (yield* ConsentStore).findRequest(request.id)).toEqual(Option.some(request))
      })
    ))

  it.each([undefined, "", "app_unknown", "with space", ["app_a", "app_a"]])(
    "client_id %j: a page",
    async (client_id) => {
      expect(await shownPage({ client_id })).toBe("client_id")
    }
  )

  it("an app that an admin revoked: a page", async () => {
    expect(await shownPage({}, { revokedAt: 1 as never })).toBe("client_id")
    expect(await shownPage({}, { revokedAt: 1 as never, suspendedAt: 1 as never })).toBe("client_id")
  })

  it("an app that is suspended: a page that says so, whatever else is wrong with the request [O3]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app } = yield* pair({ suspendedAt: 1 as never })
        for (const overrides of [{}, { redirect_uri: "https://evil.example/callback" }, { scope: "" }]) {
          const refused = Either.getOrThrow(Either.flip(yield* start(app, overrides)))
          expect(refused).toMatchObject({ _tag: "ConsentRefused", reason: "app_suspended" })
        }
        expect((yield* MemoryDatabase).consentRequests.size).toBe(0)
      })
    ))

  it.each([
    undefined,
    "",
    "https://evil.example/callback",
    "https://coffee.example/callback/",
    "https://coffee.example/callback?x=1",
    "https://coffee.example/callbac",
    "HTTPS://coffee.example/callback",
    ["https://coffee.example/callback", "https://coffee.example/callback"]
  ])("redirect_uri %j is not exactly a registered one: a page", async (redirect_uri) => {
    expect(await shownPage({ redirect_uri })).toBe("redirect_uri")
  })

  it.each([
    undefined,
    "",
    "1234567",
    "x".repeat(513),
    "1234567é".slice(1),
    "🦊".repeat(7),
    "🦊".repeat(513),
    "1234567\0",
    "1234567\ud800",
    // The value that the parser of the query gives for bytes that are not UTF-8. With this value, the app would get
    // back another state than the state that it sent.
    new URLSearchParams("state=%FF%FEabcdef").get("state") ?? "",
    ["12345678", "12345678"]
  ])("state %j: a page (8 to 512 characters) [§2.1-state, §8-state]", async (state) => {
    expect(await shownPage({ state })).toBe("state")
  })

  it.each([
    "12345678",
    "x".repeat(512),
    "with spaces & =?#",
    "Grüße-äö",
    "🦊".repeat(8),
    "ü".repeat(512),
    "🦊".repeat(512),
    "a\r\nX: b\t"
  ])("state %j is good and comes back [§2.1-state, consent-1]", (state) =>
    inWorld(
      Effect.gen(function* () {
        const { app } = yield* pair()
        const refused = Either.getOrThrow(Either.flip(yield* start(app, { state, scope: "" })))
        expect(refused._tag === "AuthorizeRedirect" && ConsentFlow.answer(refused.uri)["state"]).toBe(state)
      })
    )
  )

  it.each([undefined, "", "x".repeat(42), "x".repeat(44), `${"x".repeat(42)}=`, "x".repeat(43)])(
    "code_challenge %j: invalid_request [§2.1-challenge]",
    async (code_challenge) => {
      expect((await errorResponse({ code_challenge }))["error"]).toBe("invalid_request")
    }
  )

  it.each([undefined, "", "plain", "s256"])("code_challenge_method %j: invalid_request", async (method) => {
    expect((await errorResponse({ code_challenge_method: method }))["error"]).toBe("invalid_request")
  })

  it.each(["x".repeat(129), "line\nbreak", "nul\u0000", "user-\u007f", "next\u0085line", "user-\ud800", "user-\ufffd"])(
    "external_user_id %j: invalid_request [§8-external-user-id]",
    async (id) => {
      expect((await errorResponse({ external_user_id: id }))["error"]).toBe("invalid_request")
    }
  )

  it("external_user_id of 128 characters that take two units each is good [§8-external-user-id, consent-1]", () =>
    inWorld(
      Effect.gen(function* () {
        const { app } = yield* pair()
        expect(Either.isRight(yield* start(app, { external_user_id: "🙂".repeat(128) }))).toBe(true)
      })
    ))

  it.each(["scope", "code_challenge", "code_challenge_method", "external_user_id", "response_type"])(
    "%s twice: invalid_request [O3]",
    async (name) => {
      expect((await errorResponse({ [name]: ["S256", "S256"] }))["error"]).toBe("invalid_request")
    }
  )

  it.each([undefined, "", " ", "location.everything", "location.place.current openid"])(
    "scope %j: invalid_scope",
    async (scope) => {
      expect((await errorResponse({ scope }))["error"]).toBe("invalid_scope")
    }
  )

  it("a scope that the app does not declare, or that an admin took away: invalid_scope", async () => {
    expect((await errorResponse({}, { declaredScopes: ["location.place.current"] }))["error"]).toBe("invalid_scope")
    expect((await errorResponse({}, { allowedScopes: ["location.place.current"] }))["error"]).toBe("invalid_scope")
  })

  it("response_type: absent or code; anything else unsupported_response_type, with iss [O3]", async () => {
    expect(await errorResponse({ response_type: "token" })).toMatchObject({
      error: "unsupported_response_type",
      iss: ConsentFlow.ISSUER
    })
    expect((await errorResponse({ response_type: "code", scope: "" }))["iss"]).toBe(ConsentFlow.ISSUER)
    expect(Object.keys(await errorResponse({ response_type: "", scope: "" })).sort()).toEqual([
      "error",
      "error_description",
      "state"
    ])
  })

  it("a sensitive scope needs a purpose that the app may use: drafts do for sandbox apps only [decisions §3, purposes-3]", () =>
    inWorld(
      Effect.gen(function* () {
        const ask = (app: Parameters<typeof start>[0]) =>
          Effect.map(start(app, {}, ["location.place.current", "location.lookup"]), Either.isRight)
        const { app: production } = yield* pair()
        expect(yield* ask(production)).toBe(false)
        yield* purpose(production, "drafted", ["location.lookup"], "draft")
        yield* purpose(production, "elsewhere", ["location.latest.read"])
        yield* purpose(production, "archived", ["location.lookup"], "approved", { archivedAt: 1 as never })
        expect(yield* ask(production)).toBe(false)
        yield* purpose(production, "approved", ["location.lookup"])
        expect(yield* ask(production)).toBe(true)
        const { app: sandbox } = yield* pair({ status: "sandbox" })
        yield* purpose(sandbox, "drafted", ["location.lookup"], "draft")
        expect(yield* ask(sandbox)).toBe(true)
      })
    ))

  it("keeps the query that a registered redirect URI has", () =>
    inWorld(
      Effect.gen(function* () {
        const uri = "https://coffee.example/callback?tenant=7"
        const { app } = yield* pair({ redirectUris: [RedirectUri.RedirectUri.make(uri)] })
        const refused = Either.getOrThrow(Either.flip(yield* start(app, { scope: "" })))
        expect(refused._tag === "AuthorizeRedirect" && refused.uri).toMatch(
          /^https:\/\/coffee\.example\/callback\?tenant=7&error=invalid_scope&/
        )
      })
    ))
})
