import { FastCheck } from "effect"

/**
 * How many numbers closer to zero are tried in place of one number. fast-check first gives zero, and then numbers that
 * come closer and closer to the original number.
 */
const NUMBERS = 6

/**
 * All values that differ from this value in one simplification: a whole number that is closer to zero, false instead of
 * true, or a list without one item. Strings do not change.
 */
export function* simplified(value: unknown): Generator<unknown> {
  if (typeof value === "number" && Number.isInteger(value)) {
    const between = FastCheck.integer({ min: Math.min(0, value), max: Math.max(0, value) })
    yield* [...between.shrink(value, undefined).take(NUMBERS)].map((smaller) => smaller.value)
  } else if (value === true) {
    yield false
  } else if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1)
    for (const [at, item] of value.entries()) for (const other of simplified(item)) yield value.with(at, other)
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      for (const other of simplified(item)) yield { ...value, [key]: other }
    }
  }
}
