import { compileFunction } from "node:vm"

/**
 * Code of its own for each list of keys. What fills objects of any keys does it key by key, with a search for each, and makes hash tables of
 * those with more than a dozen; this makes them at once, all of one shape, and reads keys where they lie.
 */

type Make = (values: ReadonlyArray<unknown>) => object

const made = new Map<string, Make>()

/** Objects with these keys, of values in their order. */
export const objectOf = (keys: ReadonlyArray<string>): Make => {
  const name = JSON.stringify(keys)
  const known = made.get(name)
  if (known !== undefined) return known
  const entries = keys.map((key, index) => `${literal(key)}: values[${index}]`)
  const make = compileFunction(`return {${entries.join(", ")}}`, ["values"]) as Make
  made.set(name, make)
  return make
}

/** Computed: of `"__proto__":` an object would make no key. */
const literal = (key: string): string => `[${JSON.stringify(key)}]`

export interface Property {
  readonly name: string
  readonly isOptional: boolean
  readonly read: (value: unknown) => unknown
}

type ReadStruct = (value: Readonly<Record<string, unknown>>) => unknown

/** An object with what is read of each property; `unread` when one of them is read as that, or is missing. */
export const structReader = (properties: ReadonlyArray<Property>, unread: symbol): ReadStruct => {
  const each = (line: (key: string, index: number, isOptional: boolean) => string): string =>
    properties.map(({ isOptional, name }, index) => line(literal(name), index, isOptional)).join("\n")
  const make = compileFunction(
    `const {${properties.map((_, index) => `${index}: read${index}`).join(", ")}} = reads
    return (value) => {
      ${each(
        (key, index, isOptional) => `let v${index} = value${key}, has${index} = true
        if (v${index} === undefined && !Object.hasOwn(value, ${key}[0])) ${isOptional ? `has${index} = false` : "return unread"}
        else if ((v${index} = read${index}(v${index})) === unread) return unread`
      )}
      const found = {
        ${each((key, index, isOptional) => (isOptional ? "" : `${key}: v${index},`))}
      }
      ${each((key, index, isOptional) => (isOptional ? `if (has${index}) found${key} = v${index}` : ""))}
      return found
    }`,
    ["reads", "unread"]
  ) as (reads: ReadonlyArray<Property["read"]>, unread: symbol) => ReadStruct
  return make(
    properties.map(({ read }) => read),
    unread
  )
}
