import * as Values from "./ExampleValues.js"
import { type Json, isObject, list, object, refName, text } from "./Json.js"
import * as ErrorCatalogue from "./ErrorCatalogue.js"
import { fieldsOf } from "./SchemaExamples.js"

/**
 * The position of a value in the document, on which its example depends. The name of a field is not enough, because
 * fields of different schemas have the same name.
 */
interface Place {
  /** The names of the value's containers, the outermost first. `fieldsOf` has example values by these names. */
  readonly of: ReadonlyArray<string>
  readonly name: string
  /**
   * Whether the value is in a request. The example of a request also has the optional fields for which there is an
   * example value.
   */
  readonly isRequest: boolean
}

/**
 * Makes an example for a schema from `ExampleValues` and `fieldsOf`. Undefined for a schema without an example, such as
 * a file.
 */
export const make = (schema: Json, schemas: Json, place: Place): unknown => {
  const known = knownValue(schema, schemas, place)
  if (known !== undefined) return known
  const name = refName(schema)
  if (name !== undefined) {
    return make(object(schemas[name]), schemas, { ...place, of: [...place.of, name, `${place.of[0]} ${name}`] })
  }
  const alternative = alternatives(schema).find((one) => one["type"] !== "null")
  if (alternative !== undefined) return make(alternative, schemas, place)
  const [first] = list(schema["enum"])
  if (first !== undefined) return first
  switch (typeOf(schema)) {
    case "object":
      return objectOf(schema, schemas, place)
    case "array": {
      if (schema["maxItems"] === 0) return []
      const item = make(object(schema["items"]), schemas, place)
      return item === undefined ? [] : [item]
    }
    case "boolean":
      return true
    case "integer":
    case "number":
      if (typeof schema["default"] === "number") return schema["default"]
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1
    case "string":
      return schema["format"] === "binary"
        ? undefined
        : schema["format"] === "date-time"
          ? "2026-03-01T18:05:00.000Z"
          : place.name || undefined
    default:
      return {}
  }
}

/**
 * The example of an answer has only required fields: an optional field of an answer is present in some cases only, such
 * as `reason` while the user has paused the app. The example of a request also has the optional fields for which there
 * is an example value (`isWorthSaying`).
 */
const objectOf = (schema: Json, schemas: Json, place: Place): Json => {
  const required = list(schema["required"])
  return Object.fromEntries(
    Object.entries(object(schema["properties"]))
      .filter(([name]) => required.includes(name) || (place.isRequest && isWorthSaying(name, place.of)))
      .map(([name, inner]) => [name, make(object(inner), schemas, { ...place, of: [...place.of, place.name], name })])
  )
}

const isWorthSaying = (name: string, of: ReadonlyArray<string>): boolean => {
  const said = special(name, of)
  return said === undefined ? !Values.NULLS.has(name) && Values.fields[name] !== undefined : said !== null
}

/**
 * The example value of a field in `fieldsOf`; the value may be null. When several containers of the field have an
 * example for the field, the innermost container counts. Undefined when no container has an example.
 */
const special = (name: string, of: ReadonlyArray<string>): unknown =>
  of.reduce<unknown>((found, one) => {
    const said = fieldsOf[one]?.[name]
    return said === undefined ? found : said
  }, undefined)

const knownValue = (schema: Json, schemas: Json, { isRequest, name, of }: Place): unknown => {
  const said = special(name, of)
  if (said !== undefined && fits(schema, schemas, said)) return said
  if (!isRequest && Values.NULLS.has(name) && fits(schema, schemas, null)) return null
  const usual = Values.fields[name]
  return usual !== undefined && fits(schema, schemas, usual) ? usual : undefined
}

const alternatives = (schema: Json): ReadonlyArray<Json> => list(schema["anyOf"] ?? schema["oneOf"]).map(object)

const typeOf = (schema: Json): unknown => {
  const { type } = schema
  return Array.isArray(type) ? type.find((one) => one !== "null") : type
}

/**
 * Whether the schema allows the value as an example. The check is not exact. The linter of the OpenAPI document finds
 * the wrong examples that this function accepts.
 */
const fits = (schema: Json, schemas: Json, value: unknown): boolean => {
  const name = refName(schema)
  if (name !== undefined) return fits(object(schemas[name]), schemas, value)
  const choices = alternatives(schema)
  if (choices.length > 0) return choices.some((one) => fits(one, schemas, value))
  if (value === null) return schema["type"] === "null" || list(schema["type"]).includes("null")
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value)
  switch (typeOf(schema)) {
    case "array":
      return Array.isArray(value) && value.every((one) => fits(object(schema["items"]), schemas, one))
    case "object":
      return isObject(value)
    case "integer":
      return Number.isInteger(value)
    case undefined:
      return true
    default:
      return typeof value === typeOf(schema)
  }
}

/** Adds examples to the parameters, the body and the answers of an operation. */
export const addTo = (path: string, operation: Json, schemas: Json): void => {
  const of = text(operation["operationId"])
  for (const value of list(operation["parameters"])) {
    const parameter = object(value)
    const name = text(parameter["name"])
    const before = path.split("/").at(path.split("/").indexOf(`{${name}}`) - 1) ?? ""
    parameter["example"] =
      name === "id" && parameter["in"] === "path"
        ? Values.idsByPath[before]
        : make(object(parameter["schema"]), schemas, { of: [of], name, isRequest: false })
    // A cursor is opaque. An example would be a cursor that no list has issued, and a call with this cursor would fail.
    if (name === "cursor") delete parameter["example"]
  }
  addToContent(object(operation["requestBody"]), schemas, { of: [of], name: "", isRequest: true })
  for (const [status, response] of Object.entries(object(operation["responses"]))) {
    if (Number(status) >= 400) addErrors(object(response), schemas)
    else addToContent(object(response), schemas, { of: [of], name: "", isRequest: false })
  }
}

const addToContent = (holder: Json, schemas: Json, place: Place): void => {
  for (const value of Object.values(object(holder["content"]))) {
    const media = object(value)
    const schema = object(media["schema"])
    const named = alternatives(schema).filter((one) => refName(one) !== undefined)
    if (named.length > 1) {
      media["examples"] = Object.fromEntries(
        named.map((one) => [refName(one) ?? "", { value: make(one, schemas, place) }])
      )
    } else {
      const example = make(schema, schemas, place)
      if (example !== undefined) media["example"] = example
    }
  }
}

/**
 * Adds one example for each error code that the answer may have. Each example is a reference to `components`, because
 * the example of a code is the same for every operation.
 */
const addErrors = (response: Json, schemas: Json): void => {
  const media = object(object(response["content"])["application/json"])
  const schema = object(media["schema"])
  const names = [schema, ...alternatives(schema)].flatMap((one) => refName(one) ?? [])
  media["examples"] = Object.fromEntries(
    names.map((name) => {
      const code = text(list(object(object(object(schemas[name])["properties"])["error"])["enum"])[0])
      return [code, { $ref: `#/components/examples/${code}` }]
    })
  )
}

/** The errors as the server sends them, by code. */
export const errors: Json = Object.fromEntries(
  ErrorCatalogue.ENTRIES.map(({ code, meaning }) => [
    code,
    { summary: meaning, value: ErrorCatalogue.exampleOf(code, Values.SERVICE) }
  ])
)
