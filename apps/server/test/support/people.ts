import { Schema } from "effect"
import { randomBytes } from "node:crypto"
import { client, type Client } from "./client.js"

/** A person who has an account and is signed in. */
export interface Person {
  readonly email: string
  readonly password: string
  readonly id: string
  readonly as: Client
}

const Account = Schema.Struct({ id: Schema.String, email: Schema.String, roles: Schema.Array(Schema.String) })

export const signUp = async (baseUrl: string, name: string): Promise<Person> => {
  const visitor = client(baseUrl)
  const email = `${name}-${randomBytes(4).toString("hex")}@example.test`
  const password = `correct horse ${randomBytes(6).toString("hex")}`
  const account = await visitor.expect("POST", "/v1/accounts", { status: 201, as: Account, json: { email, password } })
  await visitor.expect("POST", "/v1/session", { as: Schema.Unknown, json: { email, password } })
  return { email, password, id: account.id, as: visitor }
}

/** A developer's app with its credentials. */
export interface App {
  readonly id: string
  readonly clientSecret: string
  readonly redirectUri: string
}

export const RULES_SCOPE = "location.rules.place"

const Identified = Schema.Struct({ id: Schema.String })
const Registered = Schema.Struct({
  clientId: Schema.String,
  clientSecret: Schema.String,
  redirectUris: Schema.Array(Schema.String)
})

/** Makes an app in the sandbox. Only its holder, the developer, can connect it (decision A1). */
export const createApp = async (
  developer: Person,
  redirectUri: string,
  scopes: ReadonlyArray<string> = [RULES_SCOPE]
): Promise<App> => {
  const { id } = await developer.as.expect("POST", "/v1/developer/apps", {
    status: 201,
    as: Identified,
    json: { name: "Umbrella", description: "Reminds you of your umbrella", scopes }
  })
  const { clientSecret } = await developer.as.expect("POST", `/v1/oauth/clients/${id}`, {
    as: Registered,
    json: { redirectUris: [redirectUri] }
  })
  return { id, clientSecret, redirectUri }
}

export interface Place {
  readonly id: string
  readonly label: string
  readonly lat: number
  readonly lon: number
  readonly radiusM: number
}

export const createPlace = async (user: Person, place: Omit<Place, "id">): Promise<Place> => {
  const { id } = await user.as.expect("POST", "/v1/user/places", {
    status: 201,
    as: Identified,
    json: { label: place.label, kind: "other", lat: place.lat, lon: place.lon, radius_m: place.radiusM }
  })
  return { ...place, id }
}

const WithToken = Schema.Struct({ id: Schema.String, token: Schema.String })

/** Adds a phone and returns its token. */
export const addDevice = async (user: Person): Promise<string> => {
  const { token } = await user.as.expect("POST", "/v1/user/devices", {
    status: 201,
    as: WithToken,
    json: { name: "Phone", format: "json" }
  })
  return token
}

export interface Endpoint {
  readonly id: string
  readonly secret: string
}

const WithSecret = Schema.Struct({ id: Schema.String, secret: Schema.String })

export const createEndpoint = (
  developer: Person,
  app: App,
  url: string,
  events: ReadonlyArray<string> = ["rule.fired"]
): Promise<Endpoint> =>
  developer.as.expect("POST", `/v1/developer/apps/${app.id}/webhooks`, {
    status: 201,
    as: WithSecret,
    json: { url, events }
  })

/** Makes a rule and returns its id. */
export const createRule = async (
  api: Client,
  token: string,
  place: Place,
  type: string,
  more: object = {}
): Promise<string> => {
  const rule = await api.expect("POST", "/v1/rules/place", {
    status: 201,
    as: Identified,
    token,
    json: { type, place_id: place.id, ...more }
  })
  return rule.id
}
