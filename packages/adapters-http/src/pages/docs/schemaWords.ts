import { type Json, list, object, refName, text } from "../../openapi/Json.js"

/** A field of a body under its full path, such as `target.place_id` or `locations[].lat`. */
export interface Field {
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

const number = (value: unknown): string => (typeof value === "number" ? value.toLocaleString("en") : String(value))

/**
 * The name of the schema that a reference points to. A reference that has its own description is inside an `allOf`, as
 * the only element.
 */
const referred = (schema: Json): string | undefined => refName(schema) ?? refName(object(list(schema["allOf"])[0]))

/** The named schema that a reference points to; a schema that is no reference stays as it is. */
const referent = (schema: Json, schemas: Json): Json => {
  const name = referred(schema)
  return name === undefined ? schema : referent(object(schemas[name]), schemas)
}

/** The words for a type that includes null end with this text. */
const OR_NULL = ", or null"

/** The type of a value in words, such as `integer, 5 to 720, or null`. Literal values are in back quotes. */
export const typeOf = (schema: Json, schemas: Json): string => {
  const name = referred(schema)
  if (name !== undefined) return typeOf(object(schemas[name]), schemas)
  const choices = list(schema["anyOf"] ?? schema["oneOf"]).map(object)
  if (choices.length > 0) {
    const words = choices.filter(({ type }) => type !== "null").map((one) => typeOf(one, schemas))
    // A choice of the union may include null itself. Its words for null are removed here, and added once at the end.
    const bare = words.map((one) => (one.endsWith(OR_NULL) ? one.slice(0, -OR_NULL.length) : one))
    const hasNull = words.length < choices.length || words.some((one) => one.endsWith(OR_NULL))
    return Array.from(new Set(bare)).join(" or ") + (hasNull ? OR_NULL : "")
  }
  const base = Array.isArray(schema["enum"])
    ? `${schema["enum"].length > 1 ? "one of " : ""}${schema["enum"].map((one) => `\`${String(one)}\``).join(", ")}`
    : plainType(schema, schemas)
  const hasNull = list(schema["type"]).includes("null")
  return [base, ...bounds(schema)].join(", ") + (hasNull ? OR_NULL : "")
}

const plainType = (schema: Json, schemas: Json): string => {
  const { format, items, type } = schema
  const [single] = Array.isArray(type) ? type.filter((one) => one !== "null") : [type]
  if (single === "array") {
    return schema["maxItems"] === 0 ? "empty list" : `list of ${typeOf(object(items), schemas)}`
  }
  if (format === "date-time") return "time, ISO 8601"
  if (format === "date") return "date, `YYYY-MM-DD`"
  if (format === "binary") return "file"
  return typeof single === "string" ? single : "anything"
}

const bounds = (schema: Json): ReadonlyArray<string> => {
  const { default: usual, maxItems, maxLength, maximum, minItems, minLength, minimum, pattern } = schema
  return [
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...(maxItems === 0 ? [] : range(minItems, maxItems, " entries")),
    // The reference shows neither the pattern of ids, which is internal, nor a long pattern, which is hard to read.
    ...(typeof pattern === "string" && pattern !== "^[A-Za-z0-9_-]+$" && pattern.length < 40 ? [`\`${pattern}\``] : []),
    ...(usual === undefined ? [] : [`\`${String(usual)}\` unless given`])
  ]
}

const range = (from: unknown, to: unknown, unit: string): ReadonlyArray<string> => {
  if (from === undefined && to === undefined) return []
  if (from === undefined) return [`at most ${number(to)}${unit}`]
  return to === undefined ? [`at least ${number(from)}${unit}`] : [`${number(from)} to ${number(to)}${unit}`]
}

const MAX_DEPTH = 6

/**
 * Merges the alternatives of a union into one object, because readers want one table. A field of the object has the
 * types from all alternatives, and is required when every alternative requires it. Its description is the longest
 * description of the alternatives, which also says what null means: where the field cannot be null, the description is
 * shorter.
 */
const together = (schema: Json, schemas: Json): Json => {
  const forms = list(schema["oneOf"]).map((one) => resolved(object(one), schemas))
  if (forms.length === 0) return schema
  const named = forms.map((form) => object(form["properties"]))
  const names = Array.from(new Set(named.flatMap((properties) => Object.keys(properties))))
  return {
    type: "object",
    required: names.filter((name) => forms.every((form) => list(form["required"]).includes(name))),
    properties: Object.fromEntries(
      names.map((name) => {
        const found = named.flatMap((properties) => (properties[name] === undefined ? [] : [object(properties[name])]))
        const distinct = Array.from(new Map(found.map((one) => [JSON.stringify(one), one])).values())
        const literals = distinct.map((one) => list(referent(one, schemas)["enum"]))
        const enums = literals.every(({ length }) => length > 0) ? literals.flat() : []
        const descriptions = distinct.map((one) => text(one["description"]))
        const description = descriptions.reduce((best, words) => (words.length > best.length ? words : best), "")
        const [only] = distinct
        return [
          name,
          distinct.length === 1
            ? only
            : {
                ...(enums.length > 0 ? { type: "string", enum: enums } : { anyOf: distinct }),
                ...(description === "" ? {} : { description })
              }
        ]
      })
    )
  }
}

/**
 * The fields of an object, or of the objects of a list. Inner fields follow the field that contains them. Fields more
 * than `MAX_DEPTH` levels deep are left out.
 */
export const fields = (schema: Json, schemas: Json, prefix = "", depth = 0): ReadonlyArray<Field> => {
  const whole = together(resolved(schema, schemas), schemas)
  if (depth > MAX_DEPTH) return []
  if (whole["type"] === "array") return fields(object(whole["items"]), schemas, `${prefix}[]`, depth + 1)
  const required = list(whole["required"])
  return Object.entries(object(whole["properties"])).flatMap(([name, value]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`
    const field = object(value)
    return [
      {
        path,
        type: typeOf(field, schemas),
        isRequired: required.includes(name),
        description: text(field["description"]) || text(resolved(field, schemas)["description"])
      },
      ...fields(field, schemas, path, depth + 1)
    ]
  })
}

/**
 * Follows a reference to a named schema. For a schema that is either null or one other schema, it follows the other
 * schema.
 */
const resolved = (schema: Json, schemas: Json): Json => {
  const name = referred(schema)
  if (name !== undefined) return resolved(object(schemas[name]), schemas)
  const choices = list(schema["anyOf"]).map(object)
  const rest = choices.filter(({ type }) => type !== "null")
  const [only] = rest
  return rest.length === 1 && only !== undefined ? resolved(only, schemas) : schema
}

/** The alternative bodies, each under its name. A single body has no name. */
export const variants = (schema: Json): ReadonlyArray<{ readonly name: string | null; readonly schema: Json }> => {
  const choices = list(schema["anyOf"] ?? schema["oneOf"])
    .map(object)
    .filter(({ type }) => type !== "null")
  return choices.length > 1
    ? choices.map((one) => ({ name: refName(one) ?? null, schema: one }))
    : [{ name: null, schema }]
}
