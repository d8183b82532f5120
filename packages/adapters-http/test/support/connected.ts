import type { App } from "@place-access/domain/apps"
import { listConnections } from "@place-access/domain/connection"
import { createPurpose, Purpose } from "@place-access/domain/purposes"
import type { Scope } from "@place-access/domain/shared"
import { ConsentFlow } from "@place-access/domain/testing"
import { bearer, type Person, type World } from "./World.js"
import { type Answer, jsonBody } from "./wire.js"

export const RULES = "location.rules.place"
export const CURRENT = "location.place.current"
export const LATEST = "location.latest.read"
export const LOOKUP = "location.lookup"

/** The body of a token response (Spec §4.3, "Token response fields"). */
export interface TokenBody {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly refresh_token_expires_at: string | null
  readonly sensitive_scopes_expire_at: string | null
  readonly scope: string
  readonly sub: string
}

/** A user with an app that may ask for every scope, as seen by the app's server and by the user's browser. */
export interface Connected {
  readonly person: Person
  readonly app: App.App
  readonly clientSecret: string
  readonly placeId: string
  /** The user approves the app. Returns the authorization code. */
  readonly approve: (scopes: ReadonlyArray<Scope.Scope>, choices?: ConsentFlow.Overrides) => Promise<string>
  readonly connect: (scopes: ReadonlyArray<Scope.Scope>, choices?: ConsentFlow.Overrides) => Promise<TokenBody>
  /** Exchanges a code at POST /v1/oauth/token, with a body as the specification writes it. */
  readonly exchange: (code: string, change?: object) => Promise<Answer>
  readonly refresh: (refreshToken: string, change?: object) => Promise<Answer>
  readonly revoke: (token: string, change?: object) => Promise<Answer>
  readonly me: (token: string) => Promise<Answer>
  readonly createRule: (token: string, more?: object) => Promise<Answer>
  readonly rules: (token: string) => Promise<Answer>
  /** The newest connection, as the user reads it. */
  readonly connection: () => Promise<Awaited<ReturnType<typeof connectionsOf>>[number]>
}

const connectionsOf = (world: World, person: Person) => world.run(listConnections(person.account.id))

export const tokensIn = ({ json }: Answer): TokenBody => json as TokenBody

/** Status and error code: the only parts of an error that a client may rely on. */
export const saying = ({ json, status }: Answer) => [status, (json as { readonly error?: string } | undefined)?.error]

export const connected = async (world: World, overrides: Partial<App.App> = {}): Promise<Connected> => {
  const person = await world.person()
  const { app, clientSecret } = await world.app(person, overrides)
  const terms = {
    description: "To have your coffee ready.",
    scopes: [LATEST, LOOKUP, "location.history.read"],
    expectedDailyVolume: 20
  } as const
  await world.run(createPurpose(person.account, app.id, { key: Purpose.PurposeKey.make("order_ahead"), terms }))
  const made = await person.send("POST", "/v1/user/places", { label: "Home", kind: "home", lat: 52.37, lon: 4.89 })
  const placeId = (made.json as { readonly id: string }).id

  const client = { clientId: app.id, clientSecret }
  const post = (path: string, body: object) => world.call(path, { method: "POST", ...jsonBody(body) })
  const exchange: Connected["exchange"] = (code, change) =>
    post("/v1/oauth/token", {
      grantType: "authorization_code",
      ...client,
      code,
      codeVerifier: ConsentFlow.VERIFIER,
      redirectUri: app.redirectUris[0],
      ...change
    })
  const approve: Connected["approve"] = async (scopes, choices) =>
    (await world.run(ConsentFlow.approve(app, person.account, scopes, { places: [placeId], ...choices }))).code
  const asApp = (token: string, method: string, path: string, body?: object) => {
    const json = body === undefined ? {} : jsonBody(body)
    return world.call(path, { ...json, method, headers: { ...json.headers, ...bearer(token).headers } })
  }
  return {
    person,
    app,
    clientSecret,
    placeId,
    approve,
    connect: async (scopes, choices) => tokensIn(await exchange(await approve(scopes, choices))),
    exchange,
    refresh: (refreshToken, change) =>
      post("/v1/oauth/token", { grantType: "refresh_token", ...client, refreshToken, ...change }),
    revoke: (token, change) => post("/v1/oauth/revoke", { ...client, token, ...change }),
    me: (token) => asApp(token, "GET", "/v1/me"),
    createRule: (token, more) => asApp(token, "POST", "/v1/rules/place", { type: "enter", place_id: placeId, ...more }),
    rules: (token) => asApp(token, "GET", "/v1/rules/place"),
    connection: async () => {
      const [newest] = await connectionsOf(world, person)
      if (newest === undefined) throw new Error("no connection")
      return newest
    }
  }
}
