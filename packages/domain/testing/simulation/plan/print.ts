import type { Plan } from "./Plan.js"
import type { PlanResult } from "./run.js"

const LINE = 110

/** A value as a developer would write it in the code of a test. */
const literal = (value: unknown, indent: string): string => {
  if (value === undefined) return "undefined"
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((item) => literal(item, deeper))
    : Object.entries(value).map(([key, item]) => `${name(key)}: ${literal(item, deeper)}`)
  const [begin, end] = isList ? ["[", "]"] : ["{", "}"]
  if (parts.length === 0) return begin + end
  const inline = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`
  const fits = indent.length + inline.length <= LINE && !inline.includes("\n")
  return fits ? inline : `${begin}\n${deeper}${parts.join(`,\n${deeper}`)}\n${indent}${end}`
}

const name = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key))

/** The code of a test that runs the plan and expects that the run breaks no rule. */
export const testOf = (plan: Plan, title: string): string =>
  `import { Simulation } from "@place-access/domain/testing"
import { expect, it } from "vitest"

it(${JSON.stringify(title)}, () => {
  const plan: Simulation.Plan = ${literal(plan, "  ")}
  expect(Simulation.runPlanSync(plan).violations).toEqual([])
})
`

/** The message of a failed run: the broken rules, the seed, and the code of a test. */
export const failureOf = ({ plan, violations }: PlanResult): string => {
  const counts = new Map<string, number>()
  for (const { invariant } of violations) counts.set(invariant, (counts.get(invariant) ?? 0) + 1)
  const first = (invariant: string) => violations.find((violation) => violation.invariant === invariant)
  const lines = [...counts].map(([invariant, count]) => {
    const { at, detail } = first(invariant) ?? { at: 0, detail: "" }
    return `  ${invariant}${count > 1 ? ` (${count} times)` : ""} at entry ${at}: ${detail}`
  })
  const [invariant = "nothing"] = counts.keys()
  return [
    `Seed ${plan.seed} breaks, with ${plan.steps.length} steps:`,
    ...lines,
    "",
    testOf(plan, `${invariant} holds, though seed ${plan.seed} broke it`)
  ].join("\n")
}
