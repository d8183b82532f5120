import type { App } from "@place-access/domain/apps"
import { startConsent, decideConsent } from "@place-access/domain/consent"
import { ConsentFlow } from "@place-access/domain/testing"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bearer, type Person, startWorld, type World } from "../support/World.js"
import { type Answer, jsonBody } from "../support/wire.js"

let world: World
let user: Person
let app: App.App
let secret: string

beforeAll(async () => {
  world = await startWorld()
  user = await world.person()
})
afterAll(() => world.close())
beforeEach(async () => {
  const made = await world.app(user)
  app = made.app
  secret = made.clientSecret
})

const REDIRECT = () => app.redirectUris[0] ?? ""

/** An authorization code that nobody has used yet. */
const code = () =>
  world.run(
    Effect.gen(function* () {
      const requested = yield* ConsentFlow.parameters(app, ["location.place.current"])
      const request = yield* startConsent(requested, world.url)
      const chosen = ConsentFlow.choices({ scopes: ["location.place.current"] })
      const { redirectTo } = yield* decideConsent(request.id, user.account, chosen, world.url, "assumed")
      return ConsentFlow.answer(redirectTo)["code"] ?? ""
    })
  )

type Fields = Readonly<Record<string, unknown>>

const json = (path: string, fields: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
  const init = jsonBody(fields)
  return world.call(path, { method: "POST", ...init, headers: { ...init.headers, ...headers } })
}

const FORM = "application/x-www-form-urlencoded"
const form = (path: string, fields: Record<string, string> | string, headers: Record<string, string> = {}) =>
  world.call(path, {
    method: "POST",
    headers: { "content-type": FORM, ...headers },
    body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString()
  })

const basic = (id: string, password: string, encode: (text: string) => string = encodeURIComponent) => ({
  authorization: `Basic ${Buffer.from(`${encode(id)}:${encode(password)}`).toString("base64")}`
})

const exchangeJson = (of: string): Fields => ({
  grantType: "authorization_code",
  clientId: app.id,
  clientSecret: secret,
  code: of,
  codeVerifier: ConsentFlow.VERIFIER,
  redirectUri: REDIRECT()
})

const exchangeForm = (of: string) => ({
  grant_type: "authorization_code",
  code: of,
  code_verifier: ConsentFlow.VERIFIER,
  redirect_uri: REDIRECT()
})

const tokens = async (): Promise<{ access_token: string; refresh_token: string }> =>
  (await json("/v1/oauth/token", exchangeJson(await code()))).json as Awaited<ReturnType<typeof tokens>>

describe("POST /v1/oauth/token", () => {
  it("JSON with the specification's names: every field of Spec §4.3, not stored by anybody [§4.3-token]", async () => {
    const answer = await json("/v1/oauth/token", exchangeJson(await code()))
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^pa_at\./),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^pa_rt\./),
      refresh_token_expires_at: "2026-03-31T12:00:00.000Z",
      sensitive_scopes_expire_at: null,
      scope: "location.place.current",
      sub: expect.stringMatching(/^sub_/)
    })
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/)
    expect([answer.headers.get("cache-control"), answer.headers.get("pragma")]).toEqual(["no-store", "no-cache"])
  })

  it("JSON with RFC 6749 names, both spellings when equal, null for absent [O1]", async () => {
    const client = { client_id: app.id, client_secret: secret }
    expect((await json("/v1/oauth/token", { ...client, ...exchangeForm(await code()) })).status).toBe(200)
    const both = { ...exchangeJson(await code()), grant_type: "authorization_code", code_verifier: null }
    expect((await json("/v1/oauth/token", both)).status).toBe(200)
  })

  it("an empty spelling beside the other spelling is absent, whichever of the two is empty [O1]", async () => {
    const emptySnake = { ...exchangeJson(await code()), client_id: "", grant_type: "" }
    expect((await json("/v1/oauth/token", emptySnake)).json).toMatchObject({ token_type: "Bearer" })
    const emptyCamel = { ...exchangeJson(await code()), client_id: app.id, clientId: "" }
    expect((await json("/v1/oauth/token", emptyCamel)).json).toMatchObject({ token_type: "Bearer" })
  })

  it("a form with the client in the body, and with HTTP Basic", async () => {
    const inBody = { ...exchangeForm(await code()), client_id: app.id, client_secret: secret }
    expect((await form("/v1/oauth/token", inBody)).status).toBe(200)
    const withBasic = await form("/v1/oauth/token", exchangeForm(await code()), basic(app.id, secret))
    expect(withBasic.status).toBe(200)
    const named = { ...exchangeForm(await code()), client_id: app.id }
    expect((await form("/v1/oauth/token", named, basic(app.id, secret))).status).toBe(200)
  })

  it("Basic halves are form-decoded, and read as they are when that cannot be done [O1]", async () => {
    const padded = basic(app.id, secret, (text) => text.replaceAll("_", "%5F"))
    expect((await form("/v1/oauth/token", exchangeForm(await code()), padded)).status).toBe(200)
    const bare = basic(app.id, secret, String)
    expect((await form("/v1/oauth/token", exchangeForm(await code()), bare)).status).toBe(200)
    const raw = await form("/v1/oauth/token", exchangeForm(await code()), basic(app.id, `${secret}%`, String))
    expect([raw.status, raw.json]).toEqual([401, expect.objectContaining({ error: "invalid_client" })])
  })

  it("refreshes in either dialect, and reports the scope again", async () => {
    const first = await tokens()
    const second = await json("/v1/oauth/token", {
      grantType: "refresh_token",
      clientId: app.id,
      clientSecret: secret,
      refreshToken: first.refresh_token
    })
    expect(second.json).toMatchObject({ scope: "location.place.current", token_type: "Bearer" })
    const { refresh_token } = second.json as { refresh_token: string }
    const third = await form("/v1/oauth/token", { grant_type: "refresh_token", refresh_token }, basic(app.id, secret))
    expect([third.status, (third.json as { scope: string }).scope]).toEqual([200, "location.place.current"])
  })

  it.each([
    ["two spellings that differ", { grant_type: "refresh_token" }, "grantType and grant_type differ"],
    ["a number in one of two spellings", { client_id: 5, clientId: "" }, "client_id must be a string"],
    ["a number for the code", { code: 5 }, "code must be a string"],
    ["no code and no verifier", { code: null, codeVerifier: "" }, "code, codeVerifier are missing"],
    ["no grant type", { grantType: null }, "grantType is missing"]
  ])("%s: 400 invalid_request in exactly the three fields of Spec §7", async (_, change, message) => {
    const answer = await json("/v1/oauth/token", { ...exchangeJson("code"), ...change })
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({ statusCode: 400, error: "invalid_request", message })
  })

  it.each([
    [
      "a repeated parameter",
      "grant_type=refresh_token&grant_type=refresh_token&refresh_token=x",
      "must not be repeated"
    ],
    ["camelCase names in a form", "grantType=refresh_token&refreshToken=x", "grant_type is missing"]
  ])("%s: 400 invalid_request with error_description [O2]", async (_, body, message) => {
    const answer = await form("/v1/oauth/token", body, basic(app.id, secret))
    expect(answer.status).toBe(400)
    const { error_description, ...rest } = answer.json as Record<string, unknown>
    expect(rest).toEqual({ statusCode: 400, error: "invalid_request", message: expect.stringContaining(message) })
    expect(error_description).toBe(rest["message"])
  })

  it.each([
    ["a NUL character", "grant_type=refresh_token&refresh_token=%00", 400, "invalid_request", {}],
    ["bytes that are no UTF-8", Uint8Array.of(0x61, 0x3d, 0xff), 400, "invalid_request", {}],
    ["more than 1 MiB", `a=${"x".repeat(1_048_576)}`, 413, "payload_too_large", {}],
    ["another charset", "a=b", 415, "unsupported_media_type", { "content-type": `${FORM}; charset=iso-8859-1` }]
  ])("a form with %s is refused with error_description too [O2]", async (_, body, status, error, headers) => {
    for (const path of ["/v1/oauth/token", "/v1/oauth/revoke"]) {
      const sent = { "content-type": FORM, ...headers }
      const answer = await world.call(path, { method: "POST", headers: sent, body })
      const { error_description, ...rest } = answer.json as Record<string, unknown>
      expect([answer.status, rest]).toEqual([status, { statusCode: status, error, message: expect.any(String) }])
      expect(error_description).toBe(rest["message"])
      expect(answer.headers.get("cache-control")).toBe("no-store")
    }
  })

  it("a body that is no object: 400 invalid_request; another content type: 415", async () => {
    for (const body of [[], "text", null, 5]) {
      const answer = await json("/v1/oauth/token", body)
      expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ error: "invalid_request" })])
    }
    const xml = { method: "POST", headers: { "content-type": "application/xml" }, body: "<a/>" }
    expect((await world.call("/v1/oauth/token", xml)).status).toBe(415)
  })

  it("another grant type: 400 unsupported_grant_type", async () => {
    const answer = await form("/v1/oauth/token", { grant_type: "password", username: "u" }, basic(app.id, secret))
    expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ error: "unsupported_grant_type" })])
  })

  it("a wrong client: 401, with a Basic challenge only when Basic was tried [O2]", async () => {
    const requested = exchangeForm(await code())
    const body = { statusCode: 401, error: "invalid_client", message: "The client is unknown or its secret is wrong" }
    const inJson = await json("/v1/oauth/token", { ...exchangeJson(requested.code), clientSecret: "wrong" })
    expect([inJson.status, inJson.json, inJson.headers.get("www-authenticate")]).toEqual([401, body, null])
    const inForm = await form("/v1/oauth/token", { ...requested, client_id: "app_unknown", client_secret: secret })
    expect([inForm.status, inForm.json, inForm.headers.get("www-authenticate")]).toEqual([
      401,
      { ...body, error_description: body.message },
      null
    ])
    const noClient = await form("/v1/oauth/token", requested)
    expect([noClient.status, noClient.headers.get("www-authenticate")]).toEqual([401, null])
    for (const header of [basic(app.id, "wrong"), { authorization: "Basic" }, { authorization: "Basic !!" }]) {
      const tried = await form("/v1/oauth/token", requested, header)
      expect([tried.status, tried.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="place-access"'])
    }
    // The refused calls before this call must not have spent the code.
    expect((await form("/v1/oauth/token", requested, basic(app.id, secret))).status).toBe(200)
  })

  it("a secret in the body and Basic, or two names for the client: 400 invalid_request [O1]", async () => {
    const requested = exchangeForm("code")
    const twice = await form("/v1/oauth/token", { ...requested, client_secret: secret }, basic(app.id, secret))
    expect([twice.status, twice.json]).toEqual([400, expect.objectContaining({ error: "invalid_request" })])
    const another = await form("/v1/oauth/token", { ...requested, client_id: "app_other" }, basic(app.id, secret))
    expect([another.status, another.json]).toEqual([400, expect.objectContaining({ error: "invalid_request" })])
  })

  it("a code a second time: 400 invalid_grant, one body whatever the reason, and the tokens are dead", async () => {
    const requested = exchangeJson(await code())
    const wrong = await json("/v1/oauth/token", { ...requested, codeVerifier: `${ConsentFlow.VERIFIER}x` })
    const first = await json("/v1/oauth/token", requested)
    const { access_token } = first.json as { access_token: string }
    expect((await world.call("/v1/me", bearer(access_token))).status).toBe(200)
    const second = await json("/v1/oauth/token", requested)
    expect([wrong.status, second.status]).toEqual([400, 400])
    expect(second.json).toEqual(wrong.json)
    expect(second.json).toMatchObject({ error: "invalid_grant" })
    expect((await world.call("/v1/me", bearer(access_token))).status).toBe(401)
  })

  it("nothing that was sent comes back in an error", async () => {
    const sent = {
      grantType: "refresh_token",
      clientId: "canary-a",
      clientSecret: "canary-b",
      refreshToken: "canary-c"
    }
    for (const fields of [
      sent,
      { ...sent, grantType: "canary-d" },
      { ...sent, grant_type: "canary-e", code: ["canary-f"] }
    ]) {
      const answer = await json("/v1/oauth/token", fields)
      expect(answer.text).not.toContain("canary")
    }
    expect(world.log.join("\n")).not.toContain("canary")
  })
})

describe("POST /v1/oauth/revoke", () => {
  const revoke = (token: string, of = { id: app.id, secret }) =>
    json("/v1/oauth/revoke", { clientId: of.id, clientSecret: of.secret, token })

  it.each(["access_token", "refresh_token"] as const)(
    "by %s: ends the connection; exactly 200, empty",
    async (kind) => {
      const made = await tokens()
      const answer = await revoke(made[kind])
      expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([200, "", null])
      expect((await world.call("/v1/me", bearer(made.access_token))).status).toBe(401)
      const refresh = { grant_type: "refresh_token", refresh_token: made.refresh_token }
      const refused = await form("/v1/oauth/token", refresh, basic(app.id, secret))
      expect([refused.status, refused.json]).toEqual([400, expect.objectContaining({ error: "invalid_grant" })])
      expect((await revoke(made[kind])).status).toBe(200)
    }
  )

  it("as a form with a hint and Basic", async () => {
    const made = await tokens()
    const body = { token: made.access_token, token_type_hint: "refresh_token" }
    const answer = await form("/v1/oauth/revoke", body, basic(app.id, secret))
    expect([answer.status, answer.text]).toEqual([200, ""])
    expect((await world.call("/v1/me", bearer(made.access_token))).status).toBe(401)
  })

  it("a token that is unknown, malformed or another app's: 200 and no effect [tokens-2]", async () => {
    const made = await tokens()
    const other = await world.app(user)
    for (const token of ["nonsense", "", `${made.access_token}x`]) expect((await revoke(token)).status).toBe(200)
    const others = await revoke(made.access_token, { id: other.app.id, secret: other.clientSecret })
    expect([others.status, others.text]).toEqual([200, ""])
    expect((await world.call("/v1/me", bearer(made.access_token))).status).toBe(200)
  })

  it("wrong client credentials: 401; no token: 400 [§5.10]", async () => {
    const wrong = await revoke("nonsense", { id: app.id, secret: "wrong" })
    expect([wrong.status, wrong.json]).toEqual([401, expect.objectContaining({ error: "invalid_client" })])
    const none = await json("/v1/oauth/revoke", { clientId: app.id, clientSecret: secret })
    expect([none.status, none.json]).toEqual([
      400,
      { statusCode: 400, error: "invalid_request", message: "token is missing" }
    ])
  })
})

describe("GET /.well-known/oauth-authorization-server", () => {
  it("says where everything is and what is spoken (RFC 8414) [O4]", async () => {
    const answer = await world.call("/.well-known/oauth-authorization-server")
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        issuer: world.url,
        authorization_endpoint: `${world.url}/authorize`,
        token_endpoint: `${world.url}/v1/oauth/token`,
        revocation_endpoint: `${world.url}/v1/oauth/revoke`,
        scopes_supported: expect.arrayContaining(["location.rules.place", "location.lookup"]),
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true
      }
    ])
  })
})
