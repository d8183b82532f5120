import { DEEDS } from "./deeds.js"
import type { Plan } from "./Plan.js"

const COURSES: ReadonlySet<string> = new Set(["wait", "until", "together", "walk", "commute", "calls"])

/** From a file that a person may have written. Throws a sentence that says what is wrong. */
export const readPlan = (value: unknown): Plan => {
  if (typeof value !== "object" || value === null) throw new TypeError("it is no JSON object")
  const given = value as Partial<Record<keyof Plan, unknown>>
  const whole = (name: "seed" | "workers" | "people" | "apps", min: number): number => {
    const found = given[name]
    if (!Number.isInteger(found) || Number(found) < min)
      throw new TypeError(`${name} must be a whole number from ${min}`)
    return Number(found)
  }
  const { faults = {}, hasSandbox = false, scheduling = "fifo", steps } = given
  if (scheduling !== "fifo" && scheduling !== "random") throw new TypeError("scheduling must be fifo or random")
  if (typeof faults !== "object" || faults === null) throw new TypeError("faults must be an object")
  if (!Array.isArray(steps)) throw new TypeError("steps must be a list")
  for (const [n, step] of steps.entries()) {
    const doing: unknown = (step as { readonly do?: unknown } | null)?.do
    if (typeof doing !== "string" || !(COURSES.has(doing) || Object.hasOwn(DEEDS, doing))) {
      throw new TypeError(`step ${n} must say what to do, such as {"do": "wait", "ms": 1000}`)
    }
  }
  return {
    seed: whole("seed", 0),
    scheduling,
    workers: whole("workers", 1),
    faults: faults as Plan["faults"],
    people: whole("people", 1),
    apps: whole("apps", 0),
    hasSandbox: hasSandbox === true,
    steps: steps as Plan["steps"]
  }
}
