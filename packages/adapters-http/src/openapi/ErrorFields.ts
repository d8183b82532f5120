import { type Json, list, object } from "./Json.js"

/**
 * Adds to the schema of each error body the fields that the edge adds to the body (decision wire-4). Handlers make
 * errors without these fields, so the contract does not have them. Changes `schemas` in place.
 */
export const addTo = (schemas: Json): void => {
  for (const [name, value] of Object.entries(schemas)) {
    const schema = object(value)
    const properties = object(schema["properties"])
    if (!("statusCode" in properties && "error" in properties)) continue
    schemas[name] = {
      ...schema,
      required: [...list(schema["required"]), "request_id", "doc_url"],
      properties: { ...properties, ...FIELDS }
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
