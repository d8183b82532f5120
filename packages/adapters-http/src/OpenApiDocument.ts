import { type HttpApi, HttpApiBuilder, type HttpApiGroup, OpenApi } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { ABOUT } from "./openapi/About.js"
import * as Corrections from "./openapi/Corrections.js"
import * as Descriptions from "./openapi/Descriptions.js"
import * as ErrorFields from "./openapi/ErrorFields.js"
import * as Examples from "./openapi/Examples.js"
import { type Json, list, object } from "./openapi/Json.js"
import * as Names from "./openapi/Names.js"
import * as Parameters from "./openapi/Parameters.js"
import * as Security from "./openapi/Security.js"
import * as Variants from "./openapi/Variants.js"
import * as Cached from "./edge/Cached.js"
import { HttpOptions, type ServiceOptions } from "./HttpOptions.js"
import { EVENTS_TAG, webhooks } from "./WebhookDocument.js"

// The OpenAPI document is made from the contract that the server runs, so the document and the contract cannot differ
// (decision wire-1).

/**
 * Corrects the generated document. This function makes only the corrections that are the same on every server; `make`
 * adds the parts that differ between servers. The contract has this function as its annotation `OpenApi.Transform`.
 */
export const correct = (document: Json, endpoints: Corrections.Endpoints): Json => {
  const cleaned = Corrections.correct(document, endpoints)
  cleaned["webhooks"] = webhooks
  cleaned["tags"] = [...list(cleaned["tags"]), EVENTS_TAG]
  const components = object(cleaned["components"])
  const schemas = object(components["schemas"])
  ErrorFields.addTo(schemas)
  Variants.split(schemas)
  for (const { operation } of operations(cleaned)) {
    const media = object(object(object(operation["requestBody"])["content"])["application/json"])
    if (media["schema"] !== undefined) media["schema"] = Variants.discriminated(object(media["schema"]), schemas)
  }
  for (const { operation, path } of operations(cleaned)) Examples.addTo(path, operation, schemas)
  Names.nameParts(cleaned)
  describeFields(cleaned)
  const whole = JSON.stringify(cleaned)
  components["examples"] = Object.fromEntries(
    Object.entries(Examples.errors).filter(([code]) => whole.includes(`"#/components/examples/${code}"`))
  )
  return cleaned
}

/** Adds a description to every field without a description, in all request and response bodies. */
const describeFields = (document: Json): void => {
  for (const schema of Object.values(object(object(document["components"])["schemas"]))) Descriptions.addTo(schema)
  for (const { operation } of operations(document)) {
    const contents = [operation["requestBody"], ...Object.values(object(operation["responses"]))]
    for (const media of contents.flatMap((one) => Object.values(object(object(one)["content"])))) {
      Descriptions.addTo(object(media)["schema"])
    }
  }
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly operation: Json
}

/** Every operation of the document, in the order of the contract. */
export const operations = (document: Json): ReadonlyArray<Operation> =>
  Object.entries(object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: object(operation)
    }))
  )

/**
 * The document of one server: the contract with the version and the addresses of this server. Each operation also has
 * the scope or the role that it requires, and the descriptions of its query parameters.
 */
export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  options: ServiceOptions
): Json => {
  // The document is copied before it is changed: the platform caches one document, and two servers in one process need
  // documents with different addresses.
  const document = object(structuredClone(OpenApi.fromApi(api, { additionalPropertiesStrategy: "allow" })))
  document["info"] = { ...object(document["info"]), version: options.version, description: ABOUT }
  document["servers"] = [{ url: options.baseUrl, description: "This server" }]
  const require = Security.addRequirements(api)
  const describe = Parameters.addDescriptions(api)
  for (const { method, operation, path } of operations(document)) {
    require(method, path, operation)
    describe(method, path, operation)
  }
  Security.describeSchemes(document, options)
  return document
}

/**
 * Lets pages of other origins, such as online viewers and generators, load the document. The document contains no
 * secret.
 */
const READABLE = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" }

/** Serves `GET /openapi.json`. The first request makes the document; later requests get the cached document. */
export const layer = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Layer.Layer<never, never, HttpOptions> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const options = yield* HttpOptions
      yield* router.get(
        "/openapi.json",
        Cached.handler("application/json", () => JSON.stringify(make(api, options)), READABLE)
      )
    })
  )
