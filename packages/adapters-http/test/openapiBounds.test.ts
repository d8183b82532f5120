import { EndpointUrl } from "@place-access/domain/endpoints"
import { Scope } from "@place-access/domain/shared"
import { type Json, list, object, refName, text } from "@place-access/adapters-http/openapi/Json"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connected } from "./support/connected.js"
import { type Answer, jsonBody } from "./support/wire.js"
import { type Person, startWorld, type World } from "./support/World.js"

let world: World
let admin: Person
let headers: Readonly<Record<string, Record<string, string>>>
let operations: ReadonlyArray<Operation>
let schemas: Json

interface Operation {
  readonly method: string
  readonly path: string
  readonly operation: Json
  readonly body: Json
  readonly schema: Json
}

beforeAll(async () => {
  world = await startWorld()
  admin = await world.person({ roles: ["reviewer", "admin"] })
  const on = await connected(world)
  const { access_token } = await on.connect(Scope.all, { standardDays: "never", sensitiveDays: "7" })
  const added = await on.person.send("POST", "/v1/user/devices", { name: "Phone", format: "json" })
  headers = {
    session: { cookie: admin.cookie, origin: world.url },
    accessToken: { authorization: `Bearer ${access_token}` },
    clientSecret: {
      authorization: `Basic ${Buffer.from(`${on.app.id}:${on.clientSecret}`).toString("base64")}`
    },
    deviceToken: { authorization: `Bearer ${(added.json as { readonly token: string }).token}` }
  }
  const document = object((await world.call("/openapi.json")).json)
  schemas = object(object(document["components"])["schemas"])
  operations = Object.entries(object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, value]) => {
      const operation = object(value)
      const media = object(object(object(operation["requestBody"])["content"])["application/json"])
      const schema = resolved(object(media["schema"]))
      // A body with several forms has several examples. `resolved` takes the first form, so the test takes the first
      // example.
      const [first] = Object.values(object(media["examples"])).map(object)
      const body = object(media["example"] ?? first?.["value"])
      return { method: method.toUpperCase(), path, operation, body, schema }
    })
  )
})
afterAll(() => world.close())

const resolved = (schema: Json): Json => {
  const name = refName(schema)
  if (name !== undefined) return resolved(object(schemas[name]))
  const choices = list(schema["anyOf"] ?? schema["oneOf"]).map(object)
  const [first] = choices.filter(({ type }) => type !== "null")
  return first === undefined ? schema : resolved(first)
}

const typeOf = ({ type }: Json): string => text(Array.isArray(type) ? type.find((one) => one !== "null") : type)

/** Credentials for an operation: for the first security scheme that the operation names. */
const credentials = ({ operation }: Operation) => {
  const [name = ""] = list(operation["security"]).flatMap((one) => Object.keys(object(one)))
  return headers[name] ?? (name === "" ? {} : undefined)
}

const send = (of: Operation, body: Json, query: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const path = of.path.replace(/{\w+}/g, "some_id")
  const search = new URLSearchParams(query).toString()
  const given = Object.keys(body).length === 0 ? {} : jsonBody(body)
  return world.call(`${path}${search === "" ? "" : `?${search}`}`, {
    ...given,
    method: of.method,
    headers: { ...given.headers, ...credentials(of) }
  })
}

/** The server's message about a field; undefined when the server accepts the field. */
const fault = (field: string, { json, status }: Answer): string | undefined => {
  if (status !== 400) return undefined
  const { message } = json as { readonly message: string | ReadonlyArray<string> }
  return [message].flat().find((one) => one.startsWith(`${field} `) || one.startsWith(`${field}[`))
}

interface Probe {
  readonly value: unknown
  readonly isGood: boolean
}

/** A text like the example, with `length` characters. */
const sized = (example: unknown, length: number): string =>
  typeof example === "string" && example.length < length
    ? example.padEnd(length, "x")
    : typeof example === "string"
      ? example.slice(0, length)
      : "x".repeat(length)

const FAR = 5_000

const ofText = (schema: Json, example: unknown): ReadonlyArray<Probe> => {
  const { enum: choices, format, maxLength, minLength, pattern } = schema
  if (choices !== undefined || format !== undefined) return []
  return [
    ...(typeof maxLength === "number"
      ? [
          { value: sized(example, maxLength), isGood: true },
          { value: sized(example, maxLength + 1), isGood: false }
        ]
      : []),
    ...(typeof minLength === "number"
      ? [
          { value: "x".repeat(minLength), isGood: true },
          { value: "x".repeat(minLength - 1), isGood: false }
        ]
      : []),
    ...(maxLength === undefined && pattern === undefined ? [{ value: sized(example, FAR), isGood: true }] : [])
  ]
}

const ofNumber = ({ enum: choices, maximum, minimum }: Json): ReadonlyArray<Probe> =>
  choices !== undefined
    ? []
    : [
        ...(typeof minimum === "number"
          ? [
              { value: minimum, isGood: true },
              { value: minimum - 1, isGood: false }
            ]
          : []),
        ...(typeof maximum === "number"
          ? [
              { value: maximum, isGood: true },
              { value: maximum + 1, isGood: false }
            ]
          : [])
      ]

const ofList = ({ items, maxItems, minItems }: Json, example: unknown): ReadonlyArray<Probe> => {
  const [first] = Array.isArray(example) ? example : []
  const many = (count: number) => Array.from({ length: count }, (_, index) => `${String(first)}${index}`)
  const isText = typeOf(resolved(object(items))) === "string" && resolved(object(items))["enum"] === undefined
  return [
    ...(typeof minItems === "number" ? [{ value: [], isGood: minItems === 0 }] : []),
    ...(typeof maxItems === "number" && isText
      ? [
          { value: many(maxItems), isGood: true },
          { value: many(maxItems + 1), isGood: false }
        ]
      : [])
  ]
}

const probesOf = (given: Json, example: unknown): ReadonlyArray<Probe> => {
  const schema = resolved(given)
  switch (typeOf(schema)) {
    case "string":
      return ofText(schema, example)
    case "number":
    case "integer":
      return ofNumber(schema)
    case "array":
      return ofList(schema, example)
    default:
      return []
  }
}

/**
 * Whether the contract checks the fields of the operation. The contract checks neither the bodies of phone apps that
 * are made for other servers, nor the bodies of the token operations, whose programs check the fields themselves.
 */
const isOurs = ({ path }: Operation): boolean =>
  !/^\/v1\/(?:phone\/(?:overland|owntracks|osmand)|oauth\/(?:token|revoke))/.test(path)

/**
 * Whether only `adapters-webhook` checks the field. The server of this test runs without that package and accepts every
 * value of the field, so the test leaves out the bounds of this field.
 */
const isSenders = (field: string): boolean => field === "url"

/** For each field that the service ignores in most rules, the `type` of the rules in which it counts. */
const needs: Readonly<Record<string, Json>> = { dwell_minutes: { type: "dwell" }, silence_s: { type: "dwell" } }

describe("openapi.json and the server agree", () => {
  it("on the bounds of every field of a body: at each it is taken, beyond it is refused, and nothing else bounds it", async () => {
    const wrong: Array<string> = []
    let calls = 0
    for (const one of operations.filter(isOurs)) {
      for (const [field, schema] of Object.entries(object(one.schema["properties"]))) {
        if (isSenders(field)) {
          const maxLength = resolved(object(schema))["maxLength"]
          if (maxLength !== EndpointUrl.MAX_LENGTH)
            wrong.push(`${one.method} ${one.path} ${field}: ${String(maxLength)}`)
          continue
        }
        for (const { isGood, value } of probesOf(object(schema), one.body[field])) {
          calls++
          const found = fault(field, await send(one, { ...one.body, ...needs[field], [field]: value }))
          // A text of an allowed length may be refused for something other than its length. For values within the
          // bounds, only refusals about the length count.
          const refused = isGood ? /at most|at least|empty|from \d/.exec(found ?? "")?.[0] : found
          if ((refused === undefined) !== isGood) {
            wrong.push(
              `${one.method} ${one.path} ${field}: ${found ?? "taken"} (${String(JSON.stringify(value)).length})`
            )
          }
        }
      }
    }
    expect(wrong).toEqual([])
    expect(calls).toBeGreaterThan(60)
  })

  it("on the fields that a body must have", async () => {
    const wrong: Array<string> = []
    for (const one of operations.filter(isOurs)) {
      const required = list(one.schema["required"]).map(text)
      for (const field of Object.keys(object(one.schema["properties"]))) {
        const { [field]: _, ...rest } = one.body
        const body = Object.keys(rest).length === 0 ? { unknown_field: 1 } : rest
        const found = fault(field, await send(one, body))
        if ((found !== undefined) !== required.includes(field)) {
          wrong.push(`${one.method} ${one.path} ${field}: ${found ?? "not missed"}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it("on the bounds of every number of a query", async () => {
    const wrong: Array<string> = []
    for (const one of operations.filter(({ method }) => method === "GET")) {
      const parameters = list(one.operation["parameters"])
        .map(object)
        .filter((given) => given["in"] === "query")
      const usual = Object.fromEntries(
        parameters.flatMap((given) =>
          given["required"] === true ? [[text(given["name"]), String(given["example"])]] : []
        )
      ) as Record<string, string>
      for (const given of parameters) {
        const schema = resolved(object(given["schema"]))
        if (typeOf(schema) !== "integer") continue
        const name = text(given["name"])
        for (const { isGood, value } of ofNumber(schema)) {
          const found = fault(name, await send(one, {}, { ...usual, [name]: String(value) }))
          if ((found === undefined) !== isGood) wrong.push(`${one.path} ${name}=${String(value)}: ${found ?? "taken"}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it("that redirect URIs are registered by one name or the other, and one of them must be there", async () => {
    const one = operations.find(({ path }) => path === "/v1/oauth/clients/{app_id}")
    if (one === undefined) throw new Error("no such operation")
    expect(Object.keys(one.body)).toEqual(["redirectUris"])
    const media = object(object(object(one.operation["requestBody"])["content"])["application/json"])
    expect(list(object(media["schema"])["anyOf"]).map((choice) => object(choice)["required"])).toEqual([
      ["redirectUris"],
      ["redirect_uris"]
    ])
    expect((await send(one, { redirect_uris: one.body["redirectUris"] })).status).toBe(404)
  })
})
