import { type HttpApi, type HttpApiEndpoint, type HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { HttpApi as Reflected } from "@effect/platform"
import { Api } from "@place-access/adapters-http/Api"
import type * as Client from "@place-access/adapters-http/client"
import { type AppOperation, OAUTH, OPERATIONS, TEST_PEOPLE } from "@place-access/adapters-http/client/Operations"
import * as Routes from "@place-access/adapters-http/engine/Routes"
import { keyReader } from "@place-access/adapters-http/idempotency/WithoutKey"
import { BearerAuth } from "@place-access/adapters-http/security/BearerAuth"
import { ClientAuth } from "@place-access/adapters-http/security/ClientAuth"
import * as Errors from "@place-access/adapters-http/wire/Errors"
import type { Scope, Timestamp } from "@place-access/domain/shared"
import { OpenApi } from "@effect/platform"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const ROOM = join(import.meta.dirname, "../../src/client")
const sources = readdirSync(ROOM).map((name) => ({ name, text: readFileSync(join(ROOM, name), "utf8") }))

describe("the client's list of operations", () => {
  const ofApps: Array<string> = []
  const withSecret: Array<string> = []
  const ofOAuth: Array<string> = []
  /** The status of each success without a body, by the endpoint. */
  const emptyStatus = new Map<string, number>()
  Reflected.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group, middleware }) => {
      const label = `${endpoint.method} ${endpoint.path}`
      const { successSchema } = endpoint
      if (HttpApiSchema.isVoid(successSchema.ast)) {
        emptyStatus.set(label, HttpApiSchema.getStatusSuccess(successSchema))
      }
      const guards = Array.from(middleware, ({ key }) => key)
      if (guards.includes(BearerAuth.key)) ofApps.push(label)
      if (guards.includes(ClientAuth.key)) withSecret.push(label)
      if (group.identifier === "oauth") ofOAuth.push(label)
    }
  })
  const label = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

  it("has every endpoint that an app calls, and no other", () => {
    expect(Object.values(OPERATIONS).map(label).sort()).toEqual(ofApps.sort())
    expect(Object.values(TEST_PEOPLE).map(label).sort()).toEqual(withSecret.sort())
    expect(Object.values(OAUTH).map(label).sort()).toEqual(ofOAuth.sort())
    expect(ofApps.length).toBeGreaterThan(20)
  })

  it("has the status with which the contract answers an operation that has no body", () => {
    const all: ReadonlyArray<AppOperation> = [OPERATIONS, OAUTH, TEST_PEOPLE].flatMap((list) => Object.values(list))
    expect(all.map((one) => [label(one), one.emptyStatus])).toEqual(
      all.map((one) => [label(one), emptyStatus.get(label(one))])
    )
    expect(all.filter((one) => one.emptyStatus !== undefined).length).toBe(5)
  })

  it("each operation is called by the client", () => {
    const uncalled = (file: string, list: string, operations: object) => {
      const code = sources.find(({ name }) => name === file)?.text ?? ""
      return Object.keys(operations).filter((name) => !new RegExp(`${list}\\.${name}\\b`).test(code))
    }
    expect(uncalled("createClient.ts", "OPERATIONS", OPERATIONS)).toEqual([])
    expect(uncalled("TestPeople.ts", "TEST_PEOPLE", TEST_PEOPLE)).toEqual([])
  })

  it("sends an Idempotency-Key wherever the contract reads one [idempotency-1]", () => {
    const takesKey = keyReader(Api)
    for (const operation of [...Object.values(OPERATIONS), ...Object.values(TEST_PEOPLE)]) {
      const route = Routes.label(operation.method, operation.path)
      expect([route, "takesKey" in operation]).toEqual([route, takesKey(route)])
    }
  })
})

it("the client's room imports nothing but itself; only the store of files needs Node", () => {
  for (const { name, text } of sources) {
    const imports = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, from = ""]) => from)
    const foreign = imports.filter((from) => !/^\.\/\w+\.js$/.test(from))
    expect([name, foreign.every((from) => name === "fileTokenStore.ts" && from.startsWith("node:"))]).toEqual([
      name,
      true
    ])
  }
})

it("an app can tell every error of the service apart by its code", () => {
  const text = sources.find(({ name }) => name === "Failure.ts")?.text ?? ""
  /**
   * Errors of endpoints that need a signed-in person. An app calls none of these endpoints, so the client need not know
   * the errors.
   */
  const ofPeople = [
    "not_signed_in",
    "confirmation_required",
    "second_factor_required",
    "second_factor_missing",
    "forbidden"
  ]
  expect(Errors.CODES.filter((code) => !ofPeople.includes(code) && !text.includes(`"${code}"`))).toEqual([])
})

// ---- the types, compared by the compiler

type Groups = typeof Api extends HttpApi.HttpApi<string, infer All, infer _Error, infer _R> ? All : never
type AnswerOf<Group extends string, Name extends string> = HttpApiEndpoint.HttpApiEndpoint.Success<
  HttpApiEndpoint.HttpApiEndpoint.WithName<
    HttpApiGroup.HttpApiGroup.Endpoints<HttpApiGroup.HttpApiGroup.WithName<Groups, Group>>,
    Name
  >
>
type QueryOf<Group extends string, Name extends string> = HttpApiEndpoint.HttpApiEndpoint.UrlParams<
  HttpApiEndpoint.HttpApiEndpoint.WithName<
    HttpApiGroup.HttpApiGroup.Endpoints<HttpApiGroup.HttpApiGroup.WithName<Groups, Group>>,
    Name
  >
>

/** The type that JSON has for a decoded type: a `Timestamp` becomes a text, and a brand is lost. */
type Wire<T> = T extends Timestamp.Timestamp
  ? string
  : T extends string
    ? string extends T
      ? string
      : T extends `${infer Text}`
        ? Text extends Scope.Scope | string
          ? Plain<T>
          : never
        : string
    : T extends number | boolean | null | undefined
      ? T
      : T extends ReadonlyArray<infer Item>
        ? ReadonlyArray<Wire<Item>>
        : { readonly [Key in keyof T]: Wire<T[Key]> }

/** A branded string becomes `string`; a literal stays. */
type Plain<T extends string> = T extends { readonly [brand: symbol]: unknown } ? string : T

/** True when the types are assignable in both directions and have the same keys. */
type Same<A, B> = [A, keyof A] extends [B, keyof B] ? ([B, keyof B] extends [A, keyof A] ? true : false) : false

const answers: {
  readonly me: Same<Wire<AnswerOf<"me", "get">>, Client.ConnectionAnswer>
  readonly currentPlace: Same<Wire<AnswerOf<"answers", "currentPlace">>, Client.CurrentPlaceAnswer>
  readonly places: Same<Wire<AnswerOf<"answers", "places">>, Client.SharedPlacesAnswer>
  readonly presence: Same<Wire<AnswerOf<"answers", "presence">>, Client.PresenceAnswer>
  readonly zone: Same<Wire<AnswerOf<"answers", "verifyZone">>, Client.ZoneAnswer>
  readonly lookUp: Same<Wire<AnswerOf<"answers", "lookUpPlace">>, Client.PlaceLookupAnswer>
  readonly visits: Same<Wire<AnswerOf<"visits", "list">>, Client.VisitsPage>
  readonly latest: Same<Wire<AnswerOf<"locations", "latest">>, Client.LatestLocationAnswer>
  readonly location: Same<Wire<AnswerOf<"locations", "lookup">>, Client.LocationLookupAnswer>
  readonly locations: Same<Wire<AnswerOf<"locations", "timerange">>, Client.LocationsPage>
  readonly days: Same<Wire<AnswerOf<"locations", "days">>, Client.LocationDaysAnswer>
  readonly placeRule: Same<Wire<AnswerOf<"rules", "createPlaceRule">>, Client.PlaceRuleAnswer>
  readonly placeRules: Same<Wire<AnswerOf<"rules", "listPlaceRules">>, Client.PlaceRulesPage>
  readonly zoneRule: Same<Wire<AnswerOf<"rules", "createZoneRule">>, Client.ZoneRuleAnswer>
  readonly zoneRules: Same<Wire<AnswerOf<"rules", "listZoneRules">>, Client.ZoneRulesPage>
  readonly evaluations: Same<Wire<AnswerOf<"evaluations", "place">>, Client.EvaluationsAnswer>
  readonly zoneEvaluations: Same<Wire<AnswerOf<"evaluations", "zone">>, Client.EvaluationsAnswer>
  readonly subscription: Same<Wire<AnswerOf<"subscriptions", "create">>, Client.SubscriptionAnswer>
  readonly token: Same<Wire<AnswerOf<"oauth", "token">>, Client.TokenAnswer>
  readonly metadata: Same<Wire<AnswerOf<"oauth", "metadata">>, Client.ServerMetadata>
  readonly testPeople: Same<Wire<AnswerOf<"testPeople", "list">>, Client.TestPeopleAnswer>
  readonly testPerson: Same<Wire<AnswerOf<"testPeople", "get">>, Client.TestPersonAnswer>
  readonly madeTestPerson: Same<Wire<AnswerOf<"testPeople", "create">>, Client.MadeTestPersonAnswer>
  readonly trip: Same<Wire<AnswerOf<"testPeople", "simulate">>, Client.SimulatedTripAnswer>
  readonly scopes: Same<Scope.Scope, Client.AppScope>
} = {
  me: true,
  currentPlace: true,
  places: true,
  presence: true,
  zone: true,
  lookUp: true,
  visits: true,
  latest: true,
  location: true,
  locations: true,
  days: true,
  placeRule: true,
  placeRules: true,
  zoneRule: true,
  zoneRules: true,
  evaluations: true,
  zoneEvaluations: true,
  subscription: true,
  token: true,
  metadata: true,
  testPeople: true,
  testPerson: true,
  madeTestPerson: true,
  trip: true,
  scopes: true
}

/**
 * Compares only the names of query parameters: the decoded type of a query also has its defaults, so it differs from
 * the type that a client sends. The service checks the values.
 */
const queries: {
  readonly currentPlace: Same<keyof QueryOf<"answers", "currentPlace">, keyof Client.MaxAge>
  readonly presence: Same<keyof QueryOf<"answers", "presence">, keyof Client.MaxAge>
  readonly lookUp: Same<keyof QueryOf<"answers", "lookUpPlace">, keyof Client.AtMoment>
  readonly visits: Same<keyof QueryOf<"visits", "list">, keyof Client.VisitsListQuery>
  readonly latest: Same<keyof QueryOf<"locations", "latest">, keyof Client.ForPurpose>
  readonly location: Same<keyof QueryOf<"locations", "lookup">, keyof Client.LocationLookupQuery>
  readonly locations: Same<keyof QueryOf<"locations", "timerange">, keyof Client.LocationsQuery>
  readonly days: Same<keyof QueryOf<"locations", "days">, keyof Client.LocationDaysQuery>
  readonly rules: Same<keyof QueryOf<"rules", "listPlaceRules">, keyof Client.PageQuery>
} = {
  currentPlace: true,
  presence: true,
  lookUp: true,
  visits: true,
  latest: true,
  location: true,
  locations: true,
  days: true,
  rules: true
}

it("the types of answers and queries are those of the contract (the compiler says so)", () => {
  expect(Object.values(answers).every((same) => same)).toBe(true)
  expect(Object.values(queries).every((same) => same)).toBe(true)
})

interface Form {
  readonly properties: object
}

describe("the bodies that an app sends have the fields of the contract", () => {
  const placeRule: Required<Client.NewPlaceRuleBody> = {
    type: "dwell",
    dwell_minutes: 10,
    settle_s: null,
    silence_s: null,
    place_id: "plc_1",
    webhook_url: null,
    active_from: null,
    active_until: null,
    max_event_age_s: null
  }
  const { place_id, ...terms } = placeRule
  const zoneRule: Required<Client.NewZoneRuleBody> = { ...terms, lat: 1, lon: 2, radius_m: 100, label: "Office" }
  const zone: Required<Client.ZoneQuestion> = { lat: 1, lon: 2, radius_m: 100, label: "Office", max_age_s: 900 }
  const testPlace: Required<Client.NewTestPlaceBody> = { label: "Home", kind: "home", lat: 1, lon: 2, radius_m: 100 }
  const testPerson: Required<Client.NewTestPersonBody> = { name: "Robin", places: [testPlace], scopes: [] }
  const late = { late_minutes: 0 }
  const arrive: Required<Client.TestTripBody> = { trip: "arrive", place_id, accuracy_m: 10, ...late }
  const reading: Required<Client.RecordedReading> = { captured_at: "", lat: 1, lon: 2, accuracy_m: 10 }
  const log: Required<Client.TestTripBody> = { trip: "log", locations: [reading], ...late }
  const file: Required<Client.TestTripBody> = { trip: "file", file: "<gpx/>", ...late }
  const schemas = OpenApi.fromApi(Api).components.schemas

  it.each([
    ["NewPlaceRule", { place_id, ...terms }],
    ["NewZoneRule", zoneRule],
    ["Zone", zone],
    ["NewTestPerson", testPerson],
    ["NewTestPlace", testPlace],
    ["ArriveTrip", arrive],
    ["LeaveTrip", { ...arrive, trip: "leave" } satisfies Client.TestTripBody],
    ["StayTrip", { ...arrive, trip: "stay", minutes: 30 } satisfies Client.TestTripBody],
    ["LogTrip", log],
    ["RecordedReading", reading],
    ["FileTrip", file]
  ])("%s", (name, body) => {
    const schema = schemas[name] as Form | { readonly oneOf: ReadonlyArray<{ readonly $ref: string }> }
    // A schema with several forms has the fields of all of them.
    const forms =
      "oneOf" in schema ? schema.oneOf.map(({ $ref }) => schemas[$ref.split("/").at(-1) ?? ""] as Form) : [schema]
    const fields = new Set(forms.flatMap(({ properties }) => Object.keys(properties)))
    expect(Object.keys(body).sort()).toEqual([...fields].sort())
  })
})
