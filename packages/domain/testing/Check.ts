import { Equal, Predicate } from "effect"

/** The error of a contract case: the adapter breaks the case's rule. A test runner shows the message. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed"
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => showable(inner), 1) ?? String(value)

/** A form of the value that JSON can show. JSON has no big integers, and shows maps, sets and errors as `{}`. */
const showable = (value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`
  if (value instanceof Error) return { ...value, name: value.name, message: value.message }
  return value instanceof Map || value instanceof Set ? [...value] : value
}

/** Throws `CheckFailed` with the message `what`. */
export const fail = (what: string): never => {
  throw new CheckFailed(what)
}

/** Throws `CheckFailed` with the message `what` unless `value` is true. */
export function isTrue(value: boolean, what: string): asserts value is true {
  if (!value) fail(what)
}

/**
 * Throws `CheckFailed` unless the two values are equal. Objects are compared by their own keys, arrays by element,
 * Effect data by `Equal`, dates by their time, errors by name, message and own keys. The order of the entries of a map,
 * and of the members of a set, does not matter. The keys of a map and the members of a set are looked up by identity,
 * so they must be texts, numbers or the same objects.
 */
export const equal = <A>(actual: A, expected: A, what: string): void => {
  if (!same(actual, expected)) fail(`${what}\n  expected ${show(expected)}\n  actual   ${show(actual)}`)
}

const same = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b) || Equal.equals(a, b)) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  // `Object.entries` of a map or a set is empty, so without this comparison any two maps or sets would be equal.
  if (a instanceof Map || b instanceof Map) return a instanceof Map && b instanceof Map && sameMaps(a, b)
  if (a instanceof Set || b instanceof Set) return a instanceof Set && b instanceof Set && sameSets(a, b)
  // `Object.entries` of a date is empty. `Object.entries` of an error lacks the message. So dates and errors are
  // compared here.
  if (Predicate.isDate(a) || Predicate.isDate(b)) return Predicate.isDate(a) && Predicate.isDate(b) && sameTimes(a, b)
  if (!sameMessages(a, b)) return false
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return left.length === right.size && left.every(([key, value]) => right.has(key) && same(value, right.get(key)))
}

const sameTimes = (a: Date, b: Date): boolean => Object.is(a.getTime(), b.getTime())

/** Whether two errors have the same name and the same message. True when neither value is an error. */
const sameMessages = (a: object, b: object): boolean =>
  a instanceof Error || b instanceof Error
    ? a instanceof Error && b instanceof Error && a.name === b.name && a.message === b.message
    : true

const sameMaps = (a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.has(key) && same(value, b.get(key)))

const sameSets = (a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean =>
  a.size === b.size && [...a].every((member) => b.has(member))
