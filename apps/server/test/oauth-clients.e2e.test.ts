import * as oauth from "oauth4webapi"
import * as openid from "openid-client"
import OAuth2Strategy from "passport-oauth2"
import { AuthorizationCode } from "simple-oauth2"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { client } from "./support/client.js"
import { answerConsent } from "./support/consent.js"
import { type App, createApp, type Person, RULES_SCOPE, signUp } from "./support/people.js"
import { pkce } from "./support/pkce.js"
import { useProcesses } from "./support/processes.js"
import { type Service, startService } from "./support/service.js"

/**
 * Runs published OAuth clients of other authors, unchanged, against our authorization server (decisions O1 to O4). Some
 * get a setting: to allow http, to send the token in a header, or to accept an answer without a content type.
 */

const REDIRECT_URI = "http://127.0.0.1:9/callback"
const METHODS = ["client_secret_post", "client_secret_basic"] as const

const processes = useProcesses()
let service: Service
let user: Person
let app: App

beforeAll(async () => {
  service = await startService(processes, { database: "embedded" })
  user = await signUp(service.url, "oauth")
})
afterAll(() => service?.close())

const approve = (url: URL): Promise<URL> => answerConsent(user.as, url.href, { places: [] })

/**
 * The library's errors for a refused client. With Basic authentication, the answer has a challenge (RFC 6749 §5.2), and
 * the library reports the challenge in place of the error in the body.
 */
const REFUSAL = {
  client_secret_post: { code: oauth.RESPONSE_BODY_ERROR, error: "invalid_client", status: 401 },
  client_secret_basic: { code: oauth.WWW_AUTHENTICATE_CHALLENGE, status: 401 }
} as const

describe.each(METHODS)("oauth4webapi with %s", (method) => {
  const http = { [oauth.allowInsecureRequests]: true }
  let server: oauth.AuthorizationServer
  let client: oauth.Client
  const authentication = (secret: string) =>
    method === "client_secret_post" ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)

  beforeAll(async () => {
    app = await createApp(user, REDIRECT_URI)
    client = { client_id: app.id }
    const issuer = new URL(service.url)
    const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...http })
    server = await oauth.processDiscoveryResponse(issuer, response)
  })

  const authorizationUrl = async (verifier: string, state: string): Promise<URL> => {
    const url = new URL(server.authorization_endpoint ?? "")
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: "code",
      scope: RULES_SCOPE,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state
    }).toString()
    return url
  }

  const authorize = async (): Promise<oauth.TokenEndpointResponse> => {
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const url = await authorizationUrl(verifier, state)
    const back = oauth.validateAuthResponse(server, client, await approve(url), state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication(app.clientSecret),
      back,
      REDIRECT_URI,
      verifier,
      http
    )
    return oauth.processAuthorizationCodeResponse(server, client, response)
  }

  const refresh = async (token: string, secret = app.clientSecret): Promise<oauth.TokenEndpointResponse> => {
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication(secret), token, http)
    return oauth.processRefreshTokenResponse(server, client, response)
  }

  const me = (token: string): Promise<Response> =>
    oauth.protectedResourceRequest(token, "GET", new URL("/v1/me", service.url), undefined, null, http)

  it("discovers, authorizes, exchanges, refreshes and revokes [§5.3]", async () => {
    expect(server.token_endpoint_auth_methods_supported).toContain(method)
    expect(server.code_challenge_methods_supported).toEqual(["S256"])
    expect(server.authorization_response_iss_parameter_supported).toBe(true)

    const tokens = await authorize()
    expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: RULES_SCOPE })
    expect((await me(tokens.access_token)).status).toBe(200)

    const refreshed = await refresh(String(tokens.refresh_token))
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    expect(await (await me(refreshed.access_token)).json()).toMatchObject({ scopes: [RULES_SCOPE] })

    const revocation = await oauth.revocationRequest(
      server,
      client,
      authentication(app.clientSecret),
      refreshed.access_token,
      http
    )
    await oauth.processRevocationResponse(revocation)

    await expect(refresh(String(refreshed.refresh_token))).rejects.toMatchObject({
      code: oauth.RESPONSE_BODY_ERROR,
      error: "invalid_grant"
    })
    const challenged = oauth.WWWAuthenticateChallengeError
    await expect(me(refreshed.access_token)).rejects.toBeInstanceOf(challenged)
  })

  it("gets invalid_client when the secret is wrong", async () => {
    const tokens = await authorize()
    await expect(refresh(String(tokens.refresh_token), "wrong")).rejects.toMatchObject(REFUSAL[method])
    // A refresh with a wrong secret must not spend the token.
    expect((await refresh(String(tokens.refresh_token))).token_type).toBe("bearer")
  })

  it("gets access_denied when the user cancels", async () => {
    const state = oauth.generateRandomState()
    const url = await authorizationUrl(oauth.generateRandomCodeVerifier(), state)
    const back = await answerConsent(user.as, url.href, { places: [], decision: "cancel" })
    expect(() => oauth.validateAuthResponse(server, client, back, state)).toThrow(
      expect.objectContaining({ error: "access_denied" })
    )
  })
})

describe.each(METHODS)("openid-client with %s", (method) => {
  let config: openid.Configuration
  const configure = (secret: string) =>
    openid.discovery(
      new URL(service.url),
      app.id,
      {},
      method === "client_secret_post" ? openid.ClientSecretPost(secret) : openid.ClientSecretBasic(secret),
      { algorithm: "oauth2", execute: [openid.allowInsecureRequests] }
    )

  beforeAll(async () => {
    app = await createApp(user, REDIRECT_URI)
    config = await configure(app.clientSecret)
  })

  it("discovers, authorizes, exchanges, refreshes and revokes", async () => {
    const verifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: RULES_SCOPE,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state
    })
    const tokens = await openid.authorizationCodeGrant(config, await approve(url), {
      pkceCodeVerifier: verifier,
      expectedState: state
    })
    expect(tokens.expiresIn()).toBeGreaterThan(0)
    const me = await openid.fetchProtectedResource(config, tokens.access_token, new URL("/v1/me", service.url), "GET")
    expect(await me.json()).toMatchObject({ scopes: [RULES_SCOPE] })

    const refreshed = await openid.refreshTokenGrant(config, String(tokens.refresh_token))
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)

    await openid.tokenRevocation(config, String(refreshed.refresh_token))
    await expect(openid.refreshTokenGrant(config, String(refreshed.refresh_token))).rejects.toMatchObject({
      error: "invalid_grant"
    })
  })

  it("is refused when the secret is wrong", async () => {
    const wrong = await configure("wrong")
    await expect(openid.refreshTokenGrant(wrong, "pa_rt.con_x.nothing")).rejects.toMatchObject({ status: 401 })
  })
})

const MODES = [
  { body: "form", credentials: "header" },
  { body: "form", credentials: "body" },
  { body: "json", credentials: "header" },
  { body: "json", credentials: "body" }
] as const

describe.each(MODES)("simple-oauth2 with a $body body and the client in the $credentials", ({ body, credentials }) => {
  const library = (secret: string) =>
    new AuthorizationCode({
      client: { id: app.id, secret },
      auth: {
        tokenHost: service.url,
        authorizePath: "/authorize",
        tokenPath: "/v1/oauth/token",
        revokePath: "/v1/oauth/revoke"
      },
      options: { bodyFormat: body, authorizationMethod: credentials }
    })

  beforeAll(async () => {
    app = await createApp(user, REDIRECT_URI)
  })

  const authorize = async () => {
    const simple = library(app.clientSecret)
    const { challenge, state, verifier } = pkce()
    const url = simple.authorizeURL({
      redirect_uri: REDIRECT_URI,
      scope: RULES_SCOPE,
      state,
      code_challenge: challenge,
      code_challenge_method: "S256"
    })
    const back = await approve(new URL(url))
    expect(back.searchParams.get("state")).toBe(state)
    return simple.getToken({
      code: String(back.searchParams.get("code")),
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier
    })
  }

  const me = (token: string) => client(service.url).call("GET", "/v1/me", { token })

  it("authorizes, exchanges, refreshes and revokes", async () => {
    const first = await authorize()
    expect(first.token).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: RULES_SCOPE })
    expect(first.expired()).toBe(false)
    expect((await me(first.token.access_token)).status).toBe(200)

    const refreshed = await first.refresh()
    expect(refreshed.token.refresh_token).not.toBe(first.token.refresh_token)
    expect((await me(refreshed.token.access_token)).json).toMatchObject({ scopes: [RULES_SCOPE] })

    // The option `json` is for servers that answer without a content type, as RFC 7009 allows.
    await refreshed.revokeAll({ json: true })
    expect((await me(refreshed.token.access_token)).status).toBe(401)
    await expect(refreshed.refresh()).rejects.toMatchObject({
      output: { statusCode: 400 },
      data: { payload: { error: "invalid_grant" } }
    })
  })

  it("gets invalid_client when the secret is wrong", async () => {
    const wrong = library("wrong").getToken({
      code: "none",
      redirect_uri: REDIRECT_URI,
      code_verifier: pkce().verifier
    })
    await expect(wrong).rejects.toMatchObject({
      output: { statusCode: 401 },
      data: { payload: { error: "invalid_client" } }
    })
  })

  it("left as it comes, it reports the missing content type of a revocation, which is done all the same [O2]", async () => {
    const tokens = await authorize()
    await expect(tokens.revoke("refresh_token")).rejects.toMatchObject({ output: { statusCode: 406 } })
    expect((await me(tokens.token.access_token)).status).toBe(401)
  })

  it("the documentation says which option the library needs to revoke [O2]", async () => {
    const page = await fetch(`${service.url}/docs/authorization`)
    expect(await page.text()).toContain("revokeAll({ json: true })")
  })
})

describe("passport-oauth2", () => {
  interface Tokens {
    readonly access: string
    readonly refresh: string
    readonly fields: Readonly<Record<string, unknown>>
  }
  type Outcome =
    | { readonly redirect: string }
    | { readonly user: unknown }
    | { readonly fail: unknown }
    | { readonly error: unknown }

  const strategy = (secret: string) => {
    const made = new OAuth2Strategy(
      {
        authorizationURL: `${service.url}/authorize`,
        tokenURL: `${service.url}/v1/oauth/token`,
        clientID: app.id,
        clientSecret: secret,
        callbackURL: REDIRECT_URI,
        scope: [RULES_SCOPE],
        state: true,
        pkce: true
      },
      (access, refresh, fields, _profile, done) => done(null, { access, refresh, fields })
    )
    // By default the library puts the token into the address, where the service never accepts a token (Spec §5.1).
    made._oauth2.useAuthorizationHeaderforGET(true)
    return made
  }

  /** Passes one request to the strategy, as passport's middleware does. */
  const handle = (
    used: OAuth2Strategy,
    session: Record<string, unknown>,
    query: Readonly<Record<string, string>>
  ): Promise<Outcome> =>
    new Promise((resolve) => {
      used.redirect = (redirect) => resolve({ redirect })
      used.success = (user) => resolve({ user })
      used.fail = (fail) => resolve({ fail })
      used.error = (error) => resolve({ error })
      used.authenticate({ query, session })
    })

  const signIn = async (used: OAuth2Strategy, decision: "allow" | "cancel" = "allow"): Promise<Outcome> => {
    const session = {}
    const started = await handle(used, session, {})
    if (!("redirect" in started)) throw new Error(`no redirect: ${JSON.stringify(started)}`)
    const back = await answerConsent(user.as, started.redirect, { places: [], decision })
    return handle(used, session, Object.fromEntries(back.searchParams))
  }

  const signedIn = async (used: OAuth2Strategy): Promise<Tokens> => {
    const outcome = await signIn(used)
    if (!("user" in outcome)) throw new Error(`not signed in: ${JSON.stringify(outcome)}`)
    return outcome.user as Tokens
  }

  const refresh = (used: OAuth2Strategy, token: string): Promise<Tokens | { status: number; error: unknown }> =>
    new Promise((resolve) =>
      used._oauth2.getOAuthAccessToken(token, { grant_type: "refresh_token" }, (cause, access, next, fields) =>
        resolve(
          cause === null
            ? { access, refresh: next, fields }
            : { status: cause.statusCode, error: JSON.parse(cause.data) as unknown }
        )
      )
    )

  const me = (used: OAuth2Strategy, token: string): Promise<{ cause: unknown; body: unknown }> =>
    new Promise((resolve) =>
      used._oauth2.get(`${service.url}/v1/me`, token, (cause, body) =>
        resolve({ cause, body: cause === null ? (JSON.parse(body) as unknown) : undefined })
      )
    )

  beforeAll(async () => {
    app = await createApp(user, REDIRECT_URI)
  })

  it("authorizes, exchanges and refreshes; after a revocation by the app the library gets invalid_grant", async () => {
    const used = strategy(app.clientSecret)
    const first = await signedIn(used)
    expect(first.fields).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: RULES_SCOPE })
    expect(await me(used, first.access)).toMatchObject({ cause: null, body: { scopes: [RULES_SCOPE] } })

    const second = await refresh(used, first.refresh)
    if (!("access" in second)) throw new Error(`not refreshed: ${JSON.stringify(second)}`)
    expect(second.refresh).not.toBe(first.refresh)
    expect(await me(used, second.access)).toMatchObject({ cause: null })

    // The library has no method that revokes a token, so the test sends the request itself.
    const revocation = await client(service.url).call("POST", "/v1/oauth/revoke", {
      form: { client_id: app.id, client_secret: app.clientSecret, token: second.refresh }
    })
    expect(revocation.status).toBe(200)
    expect(await refresh(used, second.refresh)).toMatchObject({ status: 400, error: { error: "invalid_grant" } })
    expect(await me(used, second.access)).toMatchObject({ cause: { statusCode: 401 } })
  })

  it("gets invalid_client when the secret is wrong", async () => {
    expect(await signIn(strategy("wrong"))).toMatchObject({ error: { name: "TokenError", code: "invalid_client" } })
  })

  it("takes a user's Cancel for a failed sign-in, not for an error", async () => {
    expect(await signIn(strategy(app.clientSecret), "cancel")).toMatchObject({ fail: { message: expect.any(String) } })
  })
})
