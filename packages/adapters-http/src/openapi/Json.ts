/** A part of the document. It is data made of other data: checked by test/openapi.test.ts and the linter, not by types. */
export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What is no object is an empty one, so that a path into the document can be followed to its end. */
export const object = (value: unknown): Json => (isObject(value) ? value : {})

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Every object of `value`, itself included, the inner ones first, becomes what `change` makes of it. */
export const map = (value: unknown, change: (one: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((one) => map(one, change))
  if (!isObject(value)) return value
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, map(inner, change)])))
}

const REF = "#/components/schemas/"

/** The name of the schema that is referred to. */
export const refName = (schema: Json): string | undefined =>
  typeof schema["$ref"] === "string" ? schema["$ref"].slice(REF.length) : undefined

export const refTo = (name: string): Json => ({ $ref: `${REF}${name}` })
