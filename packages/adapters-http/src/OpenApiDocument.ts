import { type HttpApi, HttpApiBuilder, type HttpApiGroup, HttpServerResponse, OpenApi } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { HttpOptions } from "./HttpOptions.js"
import { webhooks } from "./WebhookDocument.js"

/** A part of the generated document. It is data made of other data: checked by test/openapi.test.ts, not by types. */
type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const object = (value: unknown): Json => (isObject(value) ? value : {})

/** What the generated document gets wrong about this service: annotation of the contract. */
export const correct = (document: Json): Json => {
  for (const path of Object.values(object(document["paths"]))) {
    for (const operation of Object.values(object(path))) correctOperation(object(operation))
  }
  const cleaned = object(clean(document))
  cleaned["webhooks"] = webhooks
  dropUnused(cleaned)
  return cleaned
}

/** The platform's own error never leaves the edge. */
const PLATFORM_ERROR = "#/components/schemas/HttpApiDecodeError"
const PURPOSE_ERROR = "#/components/schemas/InvalidPurposeError"

const correctOperation = (operation: Json): void => {
  const responses = object(operation["responses"])
  const hasBody = operation["requestBody"] !== undefined
  const parameters = operation["parameters"]
  if (!hasBody) {
    delete responses["413"]
    delete responses["415"]
  }
  if (!hasBody && (!Array.isArray(parameters) || parameters.length === 0)) delete responses["400"]
  for (const [status, value] of Object.entries(responses)) {
    const response = object(value)
    const media = object(object(response["content"])["application/json"])
    const { anyOf } = object(media["schema"])
    if (Array.isArray(anyOf)) {
      const kept = anyOf.filter((one) => !isElsewhere(object(one)["$ref"], parameters))
      media["schema"] = kept.length === 1 ? kept[0] : { anyOf: kept }
      if (Number(status) >= 400) response["description"] = DESCRIPTIONS[status] ?? "One of these errors"
    }
    const headers = HEADERS[status]
    if (headers !== undefined) response["headers"] = headers
  }
}

/** The platform's own error, and that of the guard about purposes, which is for endpoints that take one. */
const isElsewhere = (ref: unknown, parameters: unknown): boolean =>
  ref === PLATFORM_ERROR ||
  (ref === PURPOSE_ERROR && !(Array.isArray(parameters) && parameters.some((one) => object(one)["name"] === "purpose")))

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "400": "The request cannot be used as it is; `error` says why",
  "401": "The credentials are missing or no good; `error` says which",
  "403": "Not allowed; `error` says why",
  "409": "Clashes with the present state; `error` says how",
  "429": "Too much; wait as long as Retry-After says"
}

const retryAfter = {
  "Retry-After": { description: "Seconds to wait before trying again", schema: { type: "integer", minimum: 1 } }
}
const HEADERS: Readonly<Record<string, Json>> = { "429": retryAfter, "503": retryAfter }

/** Descriptions that the generator makes of filters (`a string matching the pattern …`) say what the schema says already. */
const GENERATED = /^(?:a|an) (?:non empty |positive |finite )?(?:string|number|integer|array)\b/

const clean = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(clean)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => !isNoise(name, inner))
      .map(([name, inner]) => [name, clean(inner)])
  )
}

const isNoise = (name: string, inner: unknown): boolean =>
  (name === "description" && typeof inner === "string" && GENERATED.test(inner)) ||
  (name === "title" && typeof inner === "string" && /^(?:\w+\(.*\)|int)$/.test(inner)) ||
  (name === "additionalProperties" && inner === true)

/** Schemas that nothing refers to any more. */
const dropUnused = (document: Json): void => {
  const schemas = object(object(document["components"])["schemas"])
  for (let dropped = true; dropped;) {
    const text = JSON.stringify(document)
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
    for (const name of unused) delete schemas[name]
    dropped = unused.length > 0
  }
}

/** `GET /openapi.json`: the contract of this server, for this version and address. */
export const layer = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Layer.Layer<never, never, HttpOptions> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { baseUrl, version } = yield* HttpOptions
      const document = OpenApi.fromApi(api, { additionalPropertiesStrategy: "allow" })
      const response = HttpServerResponse.unsafeJson(
        { ...document, info: { ...document.info, version }, servers: [{ url: baseUrl }] },
        { headers: { "cache-control": "no-cache" } }
      )
      yield* router.get("/openapi.json", Effect.succeed(response))
    })
  )
