/**
 * An operation that an app calls. `OPERATIONS` below lists all operations with an access token:
 * `test/client/contract.test.ts` compares the list with the contract, and fails when the contract has an endpoint for
 * apps that is missing here.
 */
export interface AppOperation {
  readonly method: "GET" | "POST" | "DELETE"
  /** The path. A parameter is written `:name`. */
  readonly path: string
  /**
   * Present when the client sends an `Idempotency-Key` with each call, so that a retry does not create a thing twice.
   */
  readonly takesKey?: true
  /** The status of a success whose body is empty. The operations without this field answer with a JSON object. */
  readonly emptyStatus?: 200 | 204
}

const get = (path: string): AppOperation => ({ method: "GET", path })
const del = (path: string): AppOperation => ({ method: "DELETE", path, emptyStatus: 204 })
const create = (path: string): AppOperation => ({ method: "POST", path, takesKey: true })

export const OPERATIONS = {
  me: get("/v1/me"),
  currentPlace: get("/v1/answers/current-place"),
  places: get("/v1/answers/places"),
  presence: get("/v1/answers/places/:place_id/presence"),
  // `verifyZone` takes no key, because the call creates nothing and can be repeated. But each attempt may count against
  // the budget of zone questions: for one user, an app may ask 20 zone questions in an hour.
  verifyZone: { method: "POST", path: "/v1/answers/verify-zone" },
  lookUpPlace: get("/v1/lookup/place"),
  visits: get("/v1/visits"),
  latestLocation: get("/v1/locations/latest"),
  lookUpLocation: get("/v1/locations/lookup"),
  locations: get("/v1/locations/timerange"),
  locationDays: get("/v1/locations/days"),
  createPlaceRule: create("/v1/rules/place"),
  placeRules: get("/v1/rules/place"),
  removePlaceRule: del("/v1/rules/place/:id"),
  createZoneRule: create("/v1/rules/zone"),
  zoneRules: get("/v1/rules/zone"),
  removeZoneRule: del("/v1/rules/zone/:id"),
  placeRuleEvaluations: get("/v1/rules/place/:id/evaluations"),
  zoneRuleEvaluations: get("/v1/rules/zone/:id/evaluations"),
  createSubscription: create("/v1/subscriptions"),
  removeSubscription: del("/v1/subscriptions/:id")
} as const satisfies Readonly<Record<string, AppOperation>>

/** The operations that an app's server calls with its client id and secret. `metadata` needs no credentials. */
export const OAUTH = {
  token: { method: "POST", path: "/v1/oauth/token" },
  revoke: { method: "POST", path: "/v1/oauth/revoke", emptyStatus: 200 },
  metadata: { method: "GET", path: "/.well-known/oauth-authorization-server" }
} as const satisfies Readonly<Record<string, AppOperation>>

/**
 * The operations that an app's server calls with its client id and secret as HTTP Basic, while the app is not in
 * production.
 */
export const TEST_PEOPLE = {
  list: get("/v1/test-people"),
  create: { method: "POST", path: "/v1/test-people" },
  get: get("/v1/test-people/:person_id"),
  remove: del("/v1/test-people/:person_id"),
  simulate: { method: "POST", path: "/v1/test-people/:person_id/trips" }
} as const satisfies Readonly<Record<string, AppOperation>>

/** The path of the operation, with each parameter replaced by its encoded value. */
export const pathOf = ({ path }: AppOperation, parameters: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""))

/** The query string with all parameters that have a value; "" when no parameter has a value. */
export const queryOf = (query: object): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  return search.size === 0 ? "" : `?${search}`
}
