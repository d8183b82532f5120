import * as Routes from "../engine/Routes.js"
import { type Json, isObject, list, map, object, refName, refTo, text } from "./Json.js"

/** What the contract's annotations say about an endpoint. `label`: the endpoint's name (`Routes.label`). */
export interface Endpoints {
  /**
   * Whether the endpoint reads `Idempotency-Key`, and for 24 hours repeats its answer to a request with the same key.
   */
  readonly takesKey: (label: string) => boolean
  /** What `Idempotency-Key` does for an endpoint whose handler reads it (`OwnKey`). */
  readonly ownKey: (label: string) => string | undefined
  /** The declared errors with which the endpoint never answers (`impossibleErrors`). */
  readonly impossible: (label: string) => ReadonlySet<string>
}

/** Corrects what the platform's generator gets wrong about this service, and returns the corrected document. */
export const correct = (document: Json, { impossible, ownKey, takesKey }: Endpoints): Json => {
  const cleaned = object(map(clean(document), tidy))
  const schemas = object(object(cleaned["components"])["schemas"])
  const plain = object(map(cleaned, (one) => inlined(one, schemas)))
  const named = byContent(object(object(plain["components"])["schemas"]))
  for (const [path, methods] of Object.entries(object(plain["paths"]))) {
    for (const [method, operation] of Object.entries(object(methods))) {
      const label = Routes.label(method.toUpperCase(), path)
      const own = ownKey(label)
      if (takesKey(label)) addKey(object(operation))
      else if (own !== undefined) addParameter(object(operation), { ...KEY, description: own })
      dropErrors(object(operation), impossible(label))
      correctOperation(object(operation), named)
    }
  }
  dropUnused(plain)
  return plain
}

const KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  description:
    "A text of your choice for this request, such as a random UUID. If the answer gets lost, send the same request with the same key again. Within 24 hours the service repeats its first answer, with Idempotent-Replayed: true, and does nothing twice"
}

const REPLAYED = {
  "Idempotent-Replayed": {
    description: "true when this is the answer to an earlier request with the same Idempotency-Key",
    schema: { type: "string", enum: ["true"] }
  }
}

const IN_USE = {
  "Retry-After": {
    description: "Seconds to wait before trying again. Only with `idempotency_key_in_use`",
    schema: { type: "integer", minimum: 1 },
    example: 1
  }
}

/**
 * The answer 429. The service limits how many requests with an `Idempotency-Key` each caller may send (decision
 * limits-9), so every endpoint that reads the key can answer 429.
 */
const TOO_MANY: Json = {
  description: "Too many calls; wait as long as Retry-After says",
  content: { "application/json": { schema: refTo("RateLimitedError") } }
}

const addParameter = (operation: Json, parameter: Json): void => {
  operation["parameters"] = [...list(operation["parameters"]), structuredClone(parameter)]
}

const addKey = (operation: Json): void => {
  addParameter(operation, KEY)
  operation["responses"] = { "429": structuredClone(TOO_MANY), ...object(operation["responses"]) }
  for (const [status, response] of Object.entries(object(operation["responses"]))) {
    if (Number(status) < 400) object(response)["headers"] = REPLAYED
    if (status === "409") object(response)["headers"] = IN_USE
  }
}

/**
 * Removes `errors` from the answers of an operation. The contract declares some errors for whole groups of endpoints,
 * so an operation may declare errors with which it never answers.
 */
const dropErrors = (operation: Json, errors: ReadonlySet<string>): void => {
  const responses = object(operation["responses"])
  for (const [status, value] of Object.entries(responses)) {
    const media = object(object(object(value)["content"])["application/json"])
    const schema = object(media["schema"])
    const choices = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [schema]
    const kept = choices.filter((one) => !errors.has(refName(object(one)) ?? ""))
    if (kept.length === choices.length) continue
    if (kept.length === 0) delete responses[status]
    else media["schema"] = kept.length === 1 ? kept[0] : { ...schema, anyOf: kept }
  }
}

/** The error of the platform's own decoding. The edge replaces this error, so no client ever gets it. */
const PLATFORM_ERROR = "HttpApiDecodeError"
const PURPOSE_ERROR = "InvalidPurposeError"
/** Every route answers with this error when the address of the request has a NUL character. */
const UNREADABLE = "InvalidRequestError"

const correctOperation = (operation: Json, named: ReadonlyMap<string, string>): void => {
  const responses = object(operation["responses"])
  const body = operation["requestBody"]
  const parameters = list(operation["parameters"])
  if (body === undefined) {
    delete responses["413"]
    delete responses["415"]
  }
  const isAlone = Object.keys(responses).every((status) => status === "400" || Number(status) < 400 || status >= "500")
  if (body === undefined && parameters.length === 0 && !isAlone) delete responses["400"]
  for (const [status, value] of Object.entries(responses)) {
    const response = object(value)
    if (Number(status) < 400) {
      response["description"] =
        response["content"] === undefined ? NO_BODY : (SUCCESSES[status] ?? response["description"])
    }
    const media = object(object(response["content"])["application/json"])
    const { anyOf } = object(media["schema"])
    if (Array.isArray(anyOf) && Number(status) >= 400) {
      const kept = anyOf.filter((one) => !isImpossible(refName(object(one)), parameters))
      const used = isAlone && parameters.length === 0 ? kept.filter((one) => refName(object(one)) === UNREADABLE) : kept
      media["schema"] = used.length === 1 ? used[0] : { anyOf: used }
      response["description"] = DESCRIPTIONS[status] ?? "One of these errors"
    }
    const headers = HEADERS[status]
    if (headers !== undefined) response["headers"] = headers
    referTo(response, named)
  }
  referTo(object(body), named)
}

/**
 * Whether the operation cannot answer with the error `name`. No operation answers with the platform's own error, and
 * only an operation with the parameter `purpose` answers with `invalid_purpose`.
 */
const isImpossible = (name: string | undefined, parameters: ReadonlyArray<unknown>): boolean =>
  name === PLATFORM_ERROR ||
  (name === PURPOSE_ERROR && !parameters.some((parameter) => object(parameter)["name"] === "purpose"))

const SUCCESSES: Readonly<Record<string, string>> = {
  "200": "The answer",
  "201": "What the request created"
}
const NO_BODY = "Done. The answer has no body"

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "400": "The request is not valid; `error` says why",
  "401": "The credentials are missing or not valid",
  "403": "Not allowed; `error` says why",
  "409": "Conflicts with the current state; `error` says how",
  "429": "Too many calls; wait as long as Retry-After says",
  "503": "Not at the moment; wait as long as Retry-After says, `error` says why"
}

const retryAfter = {
  "Retry-After": {
    description: "Seconds to wait before trying again",
    schema: { type: "integer", minimum: 1 },
    example: 30
  }
}
const HEADERS: Readonly<Record<string, Json>> = { "429": retryAfter, "503": retryAfter }

/**
 * Matches the descriptions that the generator makes from filters of a schema (`a string matching the pattern …`).
 * `clean` removes these descriptions, because they only repeat the schema.
 */
const GENERATED = /^(?:a|an) (?:non empty |positive |finite )?(?:string|number|integer|array)\b/

/** Removes the titles, descriptions and other members that the generator adds and that say nothing to a reader. */
export const clean = (value: unknown): unknown => {
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
  (name === "title" && typeof inner === "string" && /^(?:\w+\(.*\)|int|finite|unknown)$/.test(inner)) ||
  (name === "$id" && inner === "/schemas/unknown") ||
  (name === "additionalProperties" && inner === true)

/**
 * Removes repeated values from an enum. When two enums of a union have the same value, the generator writes this value
 * twice.
 */
const tidy = (one: Json): Json =>
  Array.isArray(one["enum"]) && new Set(one["enum"]).size < one["enum"].length
    ? { ...one, enum: Array.from(new Set(one["enum"])) }
    : one

/**
 * The names that the generator gives to schemas of numbers. Such a schema is shorter than a reference to it, so each
 * reference is replaced by the schema itself.
 */
const UNNAMED: ReadonlySet<string> = new Set(["Int", "NonNegativeInt", "Finite"])

const inlined = (one: Json, schemas: Json): Json => {
  const name = refName(one)
  if (name === undefined || !UNNAMED.has(name)) return one
  const { $ref: _, ...beside } = one
  return { ...object(schemas[name]), ...beside }
}

/** The names of the named schemas, by their content. */
const byContent = (schemas: Json): ReadonlyMap<string, string> =>
  new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))

/**
 * Replaces the schema of a body by a reference to the named schema with the same content. The generator makes no
 * reference when the contract gives the response a status.
 */
const referTo = (holder: Json, named: ReadonlyMap<string, string>): void => {
  for (const value of Object.values(object(holder["content"]))) {
    const media = object(value)
    const name = named.get(JSON.stringify(media["schema"]))
    if (name !== undefined) media["schema"] = refTo(name)
  }
}

/** Removes the schemas that nothing refers to any more. */
const dropUnused = (document: Json): void => {
  const schemas = object(object(document["components"])["schemas"])
  for (let dropped = true; dropped;) {
    const whole = JSON.stringify(document)
    const unused = Object.keys(schemas).filter((name) => !whole.includes(`"${text(refTo(name)["$ref"])}"`))
    for (const name of unused) delete schemas[name]
    dropped = unused.length > 0
  }
}
