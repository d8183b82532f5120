/** A part of the OpenAPI document. `test/openapi.test.ts` and the linter check its form; the compiler does not. */
export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * `value` if it is an object, otherwise an empty object. So code can read nested members of the document without
 * checking each level.
 */
export const object = (value: unknown): Json => (isObject(value) ? value : {})

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string => (typeof value === "string" ? value : "")

/**
 * Replaces every object of `value`, `value` itself included, with the result of `change`. The inner objects come first.
 */
export const map = (value: unknown, change: (one: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((one) => map(one, change))
  if (!isObject(value)) return value
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, map(inner, change)])))
}

const REF = "#/components/schemas/"

/** The name of the schema that a reference points to; undefined for a schema that is no reference. */
export const refName = (schema: Json): string | undefined =>
  typeof schema["$ref"] === "string" ? schema["$ref"].slice(REF.length) : undefined

export const refTo = (name: string): Json => ({ $ref: `${REF}${name}` })
