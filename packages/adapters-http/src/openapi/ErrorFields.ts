import { type Json, list, object } from "./Json.js"

/** The name of the schema of `invalid_token`, whose body has no `request_id` (decision wire-4). */
const WITHOUT_ID = "InvalidTokenError"

/**
 * Adds to the schema of each error body the fields that the edge adds to the body (decision wire-4). Handlers make
 * errors without these fields, so the contract does not have them. Changes `schemas` in place.
 */
export const addTo = (schemas: Json): void => {
  for (const [name, value] of Object.entries(schemas)) {
    const schema = object(value)
    const properties = object(schema["properties"])
    if (!("statusCode" in properties && "error" in properties)) continue
    const added = name === WITHOUT_ID ? { doc_url: FIELDS.doc_url } : FIELDS
    schemas[name] = {
      ...schema,
      required: [...list(schema["required"]), ...Object.keys(added)],
      properties: { ...properties, ...added }
    }
  }
}

const FIELDS = {
  request_id: {
    type: "string",
    description: "The id of the request, as in `X-Request-Id`. Name it when you ask those who run the service"
  },
  doc_url: { type: "string", format: "uri", description: "The page that says what the code means and what to do" }
}
