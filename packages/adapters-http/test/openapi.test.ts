import * as Descriptions from "@place-access/adapters-http/openapi/Descriptions"
import { HttpApi } from "@effect/platform"
import { Event } from "@place-access/domain/events"
import {
  AppId,
  ConnectionId,
  EndpointId,
  EventId,
  PlaceId,
  RuleId,
  Scope,
  Timestamp
} from "@place-access/domain/shared"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "@place-access/adapters-http/Api"
import {
  Ping,
  PlacesChanged,
  RuleFired,
  SensitiveExpiring,
  SensitiveLapsed,
  SensitiveRemoved
} from "@place-access/adapters-http/WebhookDocument"
import { startWorld, type World } from "./support/World.js"

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security: ReadonlyArray<Record<string, unknown>>
  readonly parameters: ReadonlyArray<{
    name: string
    in: string
    required: boolean
    schema: Record<string, unknown>
    description?: string
  }>
  readonly requestBody?: { readonly content: Record<string, unknown> }
  readonly responses: Record<
    string,
    { description: string; content?: Record<string, { schema: unknown }>; headers?: unknown }
  >
}
interface Document {
  readonly openapi: string
  readonly info: { readonly version: string; readonly title: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Record<string, Record<string, Operation>>
  readonly webhooks: Record<string, unknown>
  readonly components: { readonly schemas: Record<string, unknown>; readonly securitySchemes: Record<string, unknown> }
}

let world: World
let text: string
let document: Document
beforeAll(async () => {
  world = await startWorld({ version: "1.2.3" })
  const answer = await world.call("/openapi.json")
  text = answer.text
  document = answer.json as Document
})
afterAll(() => world.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
  )

describe("GET /openapi.json", () => {
  it("is OpenAPI 3.1 for this version and address", () => {
    expect(document.openapi).toBe("3.1.0")
    expect(document.info).toMatchObject({ version: "1.2.3", title: "Place-Aware Access Service" })
    expect(document.servers).toEqual([{ url: world.url, description: "This server" }])
  })

  it("has every endpoint of the contract, each under a name of its own [wire-1-openapi]", () => {
    const names: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }) => {
        names.push(`${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`)
      }
    })
    expect(
      operations()
        .map(({ name }) => name)
        .sort()
    ).toEqual(names.sort())
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("may be loaded by every web page, and nothing else of the API may [wire-3]", async () => {
    const headersOf = async (path: string) => {
      const { headers } = await world.call(path)
      return [headers.get("access-control-allow-origin"), headers.get("cross-origin-resource-policy")]
    }
    expect(await headersOf("/openapi.json")).toEqual(["*", "cross-origin"])
    expect(await headersOf("/v1/me")).toEqual([null, "same-origin"])
  })

  it("every error body has request_id and doc_url, except that of invalid_token, which has no id [wire-4]", () => {
    const schemas = Object.entries(document.components.schemas) as ReadonlyArray<
      readonly [string, { readonly properties?: object; readonly required?: ReadonlyArray<string> }]
    >
    const bodies = schemas.filter(([, { properties }]) => properties !== undefined && "statusCode" in properties)
    expect(bodies.length).toBeGreaterThan(10)
    for (const [name, { properties = {}, required = [] }] of bodies) {
      const has = (field: string) => field in properties && required.includes(field)
      expect([name, has("request_id"), has("doc_url")]).toEqual([name, name !== "InvalidTokenError", true])
    }
    expect(document.components.schemas["InvalidTokenError"]).not.toHaveProperty("properties.request_id")
  })

  it("describes every field of every body, of requests, answers and events [wire-3]", () => {
    const whole = document as unknown as Record<string, never>
    const schemas = Object.entries(document.components.schemas)
    const inBodies = operations().flatMap(({ name, operation }) =>
      [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
        Object.values((part as { readonly content?: Record<string, unknown> } | undefined)?.content ?? {}).flatMap(
          (media) => Descriptions.missing((media as { readonly schema?: unknown }).schema, name)
        )
      )
    )
    expect(schemas.length).toBeGreaterThan(100)
    expect([...schemas.flatMap(([name, schema]) => Descriptions.missing(schema, name)), ...inBodies]).toEqual([])
    // `BY_NAME` has descriptions for fields by the field's name. None of them may be unused.
    const text = JSON.stringify(whole)
    const unused = Object.entries(Descriptions.BY_NAME).filter(([, words]) => !text.includes(JSON.stringify(words)))
    expect(unused.map(([name]) => name)).toEqual([])
  })

  it("says what null means only in the description of a field that can be null [wire-3]", () => {
    const mayBeNull = ({ anyOf = [], enum: values = [], oneOf = [], type }: Json): boolean =>
      [type, values].flat().some((one) => one === "null" || one === null) ||
      [anyOf, oneOf].flat().some((one) => mayBeNull(one as Json))
    const promises: Array<string> = []
    const read = (part: unknown): void => {
      if (typeof part !== "object" || part === null) return
      for (const [name, field] of Object.entries((part as Json)["properties"] ?? {})) {
        const { description = "", ...schema } = field as Json & { readonly description?: string }
        if (/; null\b|null:|\bNull\b/.test(description) && !mayBeNull(schema)) promises.push(`${name}: ${description}`)
      }
      for (const value of Object.values(part)) read(value)
    }
    read(document)
    expect(promises).toEqual([])
  })

  it("has a form of a look-up for each value of `matched` [wire-3]", () => {
    const { schemas } = document.components as unknown as { readonly schemas: Record<string, Record<string, never>> }
    expect(schemas["LookupResult"]).toMatchObject({
      oneOf: [{ $ref: "#/components/schemas/LookupAtPlace" }, { $ref: "#/components/schemas/LookupElsewhere" }]
    })
    expect(schemas["LookupAtPlace"]).toMatchObject({
      properties: { matched: { enum: [true] }, place: { $ref: "#/components/schemas/PlaceRef" } }
    })
    expect(schemas["LookupElsewhere"]).toMatchObject({
      properties: { matched: { enum: [false] }, place: { type: "null" } }
    })
    expect(schemas["LocationNotFound"]).toMatchObject({
      properties: { matched: { enum: [false] }, fix: { type: "null" }, asOf: { type: "null" } }
    })
  })

  it("an enum of texts that recurs has a name, and no schema has the title of a filter [wire-3]", () => {
    const titles: Array<unknown> = []
    const counts = new Map<string, number>()
    const look = (value: unknown, isNamed: boolean): void => {
      if (typeof value !== "object" || value === null) return
      const { enum: values, title, type } = value as Record<string, unknown>
      if (typeof title === "string") titles.push(title)
      if (type === "string" && !isNamed && Array.isArray(values) && values.length > 1) {
        const key = values.join(" ")
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      for (const inner of Object.values(value)) look(inner, false)
    }
    const { schemas, ...components } = document.components
    for (const schema of Object.values(schemas)) look(schema, true)
    look([components, document.paths], false)
    expect([...counts].filter(([, count]) => count > 2)).toEqual([])
    expect(titles).toEqual([])
  })

  it("names operations, lists and enums for those who generate clients; required fields come first [wire-3]", () => {
    expect(operations().filter(({ operation }) => !/^[a-z]\w*$/.test(operation.operationId))).toEqual([])
    const bodies = operations().flatMap(({ name, operation }) =>
      [operation.requestBody?.content, ...Object.values(operation.responses).map(({ content }) => content)].flatMap(
        (content) => {
          const { schema } = (content?.["application/json"] ?? {}) as { readonly schema?: Record<string, unknown> }
          return schema?.["type"] === "object" ? [name] : []
        }
      )
    )
    expect(bodies).toEqual([])
    const { schemas } = document.components
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(["PlaceList", "PlaceKind", "RuleType", "EventType"]))
    for (const [name, schema] of Object.entries(schemas)) {
      const { properties = {}, required = [] } = schema as { properties?: object; required?: ReadonlyArray<string> }
      const order = Object.keys(properties).map((field) => required.includes(field))
      expect([name, order]).toEqual([name, [...order].sort((a, b) => Number(b) - Number(a))])
    }
  })

  it("tells the forms of an answer apart by its state: a place is there at a place only, a time unless nothing is known [wire-3]", () => {
    const { schemas } = document.components
    const { discriminator } = schemas["CurrentPlace"] as { readonly discriminator: unknown }
    expect(discriminator).toEqual({
      propertyName: "state",
      mapping: {
        at_place: "#/components/schemas/CurrentPlaceAtPlace",
        elsewhere: "#/components/schemas/CurrentPlaceElsewhere",
        unknown: "#/components/schemas/CurrentPlaceUnknown"
      }
    })
    expect(schemas["CurrentPlaceUnknown"]).toMatchObject({
      properties: { place: { type: "null" }, asOf: { type: "null" } }
    })
    for (const name of ["PlacePresence", "ZonePresence"]) {
      expect(schemas[name]).toMatchObject({
        discriminator: {
          propertyName: "state",
          mapping: {
            yes: `#/components/schemas/${name}Known`,
            no: `#/components/schemas/${name}Known`,
            unknown: `#/components/schemas/${name}Unknown`
          }
        }
      })
      expect(schemas[`${name}Known`]).toMatchObject({
        properties: { asOf: { $ref: "#/components/schemas/Timestamp" } }
      })
      expect(schemas[`${name}Known`]).not.toHaveProperty("properties.reason")
      expect(schemas[`${name}Unknown`]).toMatchObject({ properties: { asOf: { type: "null" } } })
    }
    expect(schemas["NewPlaceDwellRule"]).toMatchObject({ required: ["type", "place_id", "dwell_minutes"] })
    const trip = document.paths["/v1/test-people/{person_id}/trips"]?.["post"]?.requestBody
    expect(trip?.content["application/json"]).toMatchObject({ schema: { discriminator: { propertyName: "trip" } } })
  })

  it("refers to nothing that is not there, and holds nothing that nothing refers to", () => {
    const references = new Set(Array.from(text.matchAll(/"#\/components\/schemas\/([^"]+)"/g), ([, name]) => name))
    expect(Array.from(references).sort()).toEqual(Object.keys(document.components.schemas).sort())
    for (const { operation } of operations()) {
      for (const scheme of operation.security.flatMap(Object.keys)) {
        expect(Object.keys(document.components.securitySchemes)).toContain(scheme)
      }
    }
  })

  it("names no error of the platform's and no inside", () => {
    expect(text).not.toMatch(/HttpApiDecodeError|_tag|ParseError|Struct/)
  })

  it("every path parameter is required and declared", () => {
    for (const { name, operation } of operations()) {
      const declared = operation.parameters.filter((one) => one.in === "path").map((one) => one.name)
      expect([name, declared]).toEqual([name, Array.from(name.matchAll(/\{(\w+)\}/g), ([, parameter]) => parameter)])
      expect(operation.parameters.filter((one) => one.in === "path" && !one.required)).toEqual([])
    }
  })

  it("every query parameter says what it means, in the words of the contract", () => {
    const queries = operations().flatMap(({ name, operation }) =>
      operation.parameters.filter((one) => one.in === "query").map((one) => ({ ...one, of: `${name} ${one.name}` }))
    )
    expect(queries.length).toBeGreaterThan(50)
    expect(queries.filter((one) => !/\w{3}/.test(one.description ?? "")).map((one) => one.of)).toEqual([])
    const descriptions = new Map(queries.map((one) => [one.of, one.description]))
    expect(descriptions.get("GET /v1/developer/apps/{app_id}/deliveries from")).toBe("By created_at, inclusive")
    expect(descriptions.get("GET /v1/visits to")).toBe("The latest arrival, exclusive")
    expect(descriptions.get("GET /v1/locations/timerange from")).toBe("Inclusive")
  })

  it("body errors only where there is a body; 429 and 503 say when to try again", () => {
    for (const { name, operation } of operations()) {
      const statuses = Object.keys(operation.responses)
      expect([name, statuses.includes("413"), statuses.includes("415")]).toEqual([
        name,
        operation.requestBody !== undefined,
        operation.requestBody !== undefined
      ])
      for (const status of ["429", "503"]) {
        const response = operation.responses[status]
        expect(response === undefined || JSON.stringify(response.headers).includes("Retry-After")).toBe(true)
      }
    }
  })

  it("a call can be refused for its scope only where it needs one, and a scope can expire only in the sensitive tier [wire-3]", () => {
    const refusals = (scopes: ReadonlyArray<string>): ReadonlyArray<string> =>
      scopes.length === 0
        ? []
        : Schema.is(Scope.SensitiveScope)(scopes[0])
          ? ["MissingScopeError", "ScopeExpiredError"]
          : ["MissingScopeError"]
    const withToken = operations().filter(({ operation }) => "accessToken" in (operation.security[0] ?? {}))
    expect(withToken.length).toBeGreaterThan(15)
    for (const { name, operation } of withToken) {
      const needed = (operation.security[0]?.["accessToken"] ?? []) as ReadonlyArray<string>
      const declared = JSON.stringify(operation.responses["403"]?.content ?? {}).match(/\w*Scope\w*Error/g) ?? []
      expect([name, declared]).toEqual([name, refusals(needed)])
      expect([name, "403" in operation.responses]).toEqual([name, needed.length > 0])
    }
  })

  /** The names of the errors that an operation declares for a status. */
  const errorsOf = ({ responses }: Operation, status: string): ReadonlyArray<string> =>
    Array.from(JSON.stringify(responses[status]?.content ?? {}).matchAll(/schemas\/(\w+Error)/g), ([, name]) => name!)

  /** The GETs that answer some signed-in accounts with 403. All other GETs answer with 200 or 404. */
  const REFUSING_READS: ReadonlySet<string> = new Set([
    "GET /v1/developer/apps/{app_id}/rules",
    "GET /v1/developer/apps/{app_id}/secrets",
    "GET /v1/developer/apps/{app_id}/users",
    "GET /v1/user/consent-requests/{id}"
  ])

  it("a 403 is declared where it can come: for roles, for calls that change something, and for reads of some accounts [factors-9]", () => {
    const bySession = operations().filter(({ operation }) => "session" in (operation.security[0] ?? {}))
    expect(bySession.length).toBeGreaterThan(80)
    for (const { name, operation } of bySession) {
      const roles = (operation.security[0]?.["session"] ?? []) as ReadonlyArray<string>
      const declared = errorsOf(operation, "403")
      expect([name, declared.includes("SecondFactorMissingError")]).toEqual([name, roles.length > 0])
      const mayBeForbidden = roles.length > 0 || !name.startsWith("GET ") || REFUSING_READS.has(name)
      expect([name, declared.includes("ForbiddenError")]).toEqual([name, mayBeForbidden])
    }
  })

  it("the OAuth endpoints check their bodies themselves: a wrong body is invalid_request, never validation_failed [O1]", () => {
    for (const path of ["/v1/oauth/token", "/v1/oauth/revoke"]) {
      const declared = errorsOf(document.paths[path]!["post"]!, "400")
      expect(declared).toContain("InvalidRequestError")
      expect(declared).not.toContain("ValidationFailedError")
    }
  })

  it("the exchange of a code reads an Idempotency-Key in its own way: no key is in use or used before [tokens-1]", () => {
    const { parameters, responses } = document.paths["/v1/oauth/token"]!["post"]!
    expect(parameters).toEqual([
      expect.objectContaining({
        name: "Idempotency-Key",
        in: "header",
        required: false,
        description: expect.stringContaining("within 30 seconds")
      })
    ])
    expect(Object.keys(responses)).not.toContain("409")
    expect(Object.keys(responses)).not.toContain("422")
    expect(responses["200"]).not.toHaveProperty("headers")
  })

  it("a 409 says when to try again exactly where a key can be in use [idempotency-2]", () => {
    const others = operations().filter(({ name }) => name !== "POST /v1/oauth/token")
    for (const { name, operation } of others) {
      const { content, headers = {} } = operation.responses["409"] ?? {}
      const mayBeInUse = JSON.stringify(content ?? {}).includes("/IdempotencyKeyInUseError")
      expect([name, mayBeInUse]).toEqual([name, operation.parameters.some((one) => one.name === "Idempotency-Key")])
      expect([name, "Retry-After" in (headers as object)]).toEqual([name, mayBeInUse])
    }
  })

  it("describes the moments of a field in the words of the contract, and the order of lists as it is", () => {
    const { schemas } = document.components as unknown as {
      readonly schemas: Record<string, { readonly properties: Record<string, { readonly description: string }> }>
    }
    const of = (schema: string, field: string) => schemas[schema]?.properties[field]?.description
    expect(of("TeamInvitation", "expires_at")).toBe("Exclusive: 7 days after it was made")
    expect(of("SimulatedTrip", "until")).toBe("When the last reading was captured")
    expect(of("HistoryEraseRequest", "until")).toBe("Exclusive; at most 31 days later, not in the future")
    expect(of("RuleLimitReachedError", "instant")).toContain("ten rules count already")
    expect(of("SteeringHistoryAnswer", "history")).toBe("The changes of the connection, newest first")
  })

  it("fields that are always there are required, also when they may be null; query parameters have their defaults", () => {
    const me = document.components.schemas["Connection"] as {
      required: Array<string>
      properties: Record<string, unknown>
    }
    expect(me.required.sort()).toEqual(Object.keys(me.properties).sort())
    expect(me.properties["external_user_id"]).toMatchObject({ anyOf: [{ type: "string" }, { type: "null" }] })
    expect(document.components.schemas["Timestamp"]).toEqual({ type: "string", format: "date-time" })
    const limits = operations().flatMap(({ operation }) => operation.parameters.filter((one) => one.name === "limit"))
    for (const limit of limits) {
      expect(limit.required).toBe(false)
      expect(limit.schema).toMatchObject({ type: "integer", minimum: 1, default: expect.any(Number) })
    }
  })

  it("error bodies are { statusCode, error, message } with a fixed status and code [§7-body]", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (!name.endsWith("Error")) continue
      const { properties, required } = schema as { properties: Record<string, unknown>; required: Array<string> }
      expect([name, required.slice(0, 3).sort()]).toEqual([name, ["error", "message", "statusCode"]])
      expect(properties["error"]).toMatchObject({ type: "string", enum: [expect.any(String)] })
    }
  })
})

describe("webhooks", () => {
  const shared = {
    eventId: EventId.make("evt_1"),
    appId: AppId.make("app_1"),
    occurredAt: Timestamp.make(0)
  }
  const endpoint = EndpointId.make("ep_1")

  it("the documented bodies are those that are sent [§1.5, §6.2-common]", () => {
    const decode = <A, I>(schema: Schema.Schema<A, I>, body: string) =>
      Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(JSON.parse(body))
    const fired = Event.body(
      {
        ...shared,
        grantId: ConnectionId.make("con_1"),
        payload: {
          type: "place.enter",
          ruleId: RuleId.make("rul_1"),
          target: { placeId: PlaceId.make("plc_1"), label: "Home" }
        }
      },
      endpoint
    )
    expect(decode(RuleFired, fired)).toMatchObject({ type: "place.enter", grant_id: "con_1" })
    expect(decode(Ping, Event.body({ ...shared, grantId: null, payload: { type: "ping" } }, endpoint))).toMatchObject({
      type: "ping"
    })
    expect(Object.keys(document.webhooks).sort()).toEqual([...Event.SUBSCRIBABLE, "ping"].sort())
  })

  it("places.changed and the events of the sensitive tier carry what Spec §6.2 says, times in ISO 8601 [§6.2-expiring, §6.2-lapsed, §6.2-places-changed, §6.2-removed]", () => {
    const sent = (payload: Event.Payload): unknown =>
      JSON.parse(Event.body({ ...shared, grantId: ConnectionId.make("con_1"), payload }, endpoint))
    const common = {
      event_id: "evt_1",
      app_id: "app_1",
      endpoint_id: "ep_1",
      grant_id: "con_1",
      occurred_at: "1970-01-01T00:00:00.000Z"
    }
    const sensitiveExpiresAt = Timestamp.make(Date.UTC(2026, 2, 1))
    const renewalGraceEndsAt = Timestamp.make(Date.UTC(2026, 2, 15))
    const [expires, ends] = ["2026-03-01T00:00:00.000Z", "2026-03-15T00:00:00.000Z"]
    const scopes = ["location.latest.read", "location.lookup"] as const
    const cases: ReadonlyArray<readonly [Event.Payload, Schema.Schema.AnyNoContext, object]> = [
      [{ type: "places.changed", placesVersion: 4 }, PlacesChanged, { places_version: 4 }],
      [
        { type: "sensitive.expiring", sensitiveExpiresAt, daysLeft: 14, scopes },
        SensitiveExpiring,
        { sensitive_expires_at: expires, days_left: 14, scopes }
      ],
      [
        { type: "sensitive.lapsed", sensitiveExpiresAt, renewalGraceEndsAt, scopes },
        SensitiveLapsed,
        { sensitive_expires_at: expires, renewal_grace_ends_at: ends, scopes }
      ],
      [{ type: "sensitive.removed", scopes }, SensitiveRemoved, { scopes }]
    ]
    for (const [payload, schema, details] of cases) {
      expect(sent(payload)).toEqual({ ...common, type: payload.type, ...details })
      Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(sent(payload))
    }
  })
})
