import { Equal } from "effect"

/** The failure of a contract or an oracle. A test runner shows its message. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed"
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner), 1) ?? String(value)

/** Throws `CheckFailed`. */
export const fail = (what: string): never => {
  throw new CheckFailed(what)
}

/** Throws `CheckFailed` unless `value` is true. */
export function isTrue(value: boolean, what: string): asserts value is true {
  if (!value) fail(what)
}

/** Structural equality of data: objects by their own keys, arrays by element, Effect data by `Equal`. */
export const equal = <A>(actual: A, expected: A, what: string): void => {
  if (!same(actual, expected)) fail(`${what}\n  expected ${show(expected)}\n  actual   ${show(actual)}`)
}

const same = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b) || Equal.equals(a, b)) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return left.length === right.size && left.every(([key, value]) => right.has(key) && same(value, right.get(key)))
}
