import { Duration } from "effect"

/*
 * Checks of the arguments of a run and of a scenario. Without them, a wrong number would have no effect, and the run
 * would pass without the fault or the wait that the author of the test wanted. The errors name the argument.
 */

/** Throws unless the value is a whole number, and `least` or more. */
export const demandWhole = (name: string, value: number, least: number): void => {
  if (!Number.isSafeInteger(value) || value < least) throw new TypeError(`${name} must be a whole number from ${least}`)
}

/** Throws unless the value is a whole number of milliseconds, which may be negative. */
export const demandMillis = (name: string, value: number): void => {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${name} must be a whole number of milliseconds`)
}

/**
 * Throws unless the value is a valid `Duration` input of the library `effect`, and not negative. `Duration` itself
 * would treat a negative number as 0.
 */
export const demandDuration = (name: string, value: unknown): void => {
  const isNegative = typeof value === "number" ? !(value >= 0) : typeof value === "string" && value.startsWith("-")
  if (isNegative || Duration.decodeUnknown(value)._tag === "None") {
    throw new TypeError(`${name} must be a time that is not negative, such as "10 minutes" or 600_000`)
  }
}
