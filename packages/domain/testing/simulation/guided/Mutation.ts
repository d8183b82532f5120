import type { Stream } from "../engine/Streams.js"
import type { Plan, PlanStep } from "../plan/Plan.js"
import { isPlan } from "../plan/readPlan.js"

/**
 * Small random changes of a plan. Any list of steps is a valid plan, because a run skips each step that is impossible
 * at its time. Only a changed number may be invalid; then the step keeps its old number.
 */

/** The largest number of changes to one plan. */
const MOST_CHANGES = 4
/**
 * How many times at most a random change of the plan is drawn, until the changed plan has steps and is not too long. If
 * no draw gives a plan like this, the plan stays unchanged.
 */
const TRIES = 10
/**
 * No change makes a plan longer than this number of steps. Without the limit, plans and their runs would become longer
 * and longer.
 */
const MOST_STEPS = 200

/** Boundary values of the specification and numbers next to them: milliseconds, metres, seconds and counts. */
const EDGES = [
  0, 1, -1, 5, 10, 11, 30, 50, 51, 100, 150, 300, 500, 720, 900, 1_000, 3_600, 10_000, 30_000, 60_000, 86_400, 119_999,
  120_000, 300_000, 599_999, 600_000, 899_999, 900_000, 3_600_000, 86_400_000
] as const

/** Returns the plan with at most four changes. Some changes take steps and faults from the plan `other`. */
export const mutate = (plan: Plan, other: Plan, draw: Stream): Plan => {
  let changed = plan
  for (let count = draw.int(1, MOST_CHANGES); count > 0; count--) changed = once(changed, other, draw)
  return changed
}

const once = (plan: Plan, other: Plan, draw: Stream): Plan => {
  // With `--steps`, a drawn plan may already be longer than `MOST_STEPS`. Then no change makes the plan any longer.
  const most = Math.max(MOST_STEPS, plan.steps.length)
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const changed = draw.pick(CHANGES)(plan, other, draw)
    if (changed.steps.length > 0 && changed.steps.length <= most && isPlan(changed)) return changed
  }
  return plan
}

type Change = (plan: Plan, other: Plan, draw: Stream) => Plan

const withSteps = (plan: Plan, steps: ReadonlyArray<PlanStep>): Plan => ({ ...plan, steps })

const stretch = (steps: ReadonlyArray<PlanStep>, draw: Stream): readonly [from: number, to: number] => {
  const from = draw.int(0, Math.max(0, steps.length - 1))
  return [from, Math.min(steps.length, from + draw.int(1, 8))]
}

const drop: Change = (plan, _, draw) => {
  const [from, to] = stretch(plan.steps, draw)
  return withSteps(plan, [...plan.steps.slice(0, from), ...plan.steps.slice(to)])
}

const repeat: Change = (plan, _, draw) => {
  const [from, to] = stretch(plan.steps, draw)
  return withSteps(plan, [...plan.steps.slice(0, to), ...plan.steps.slice(from)])
}

const swap: Change = (plan, _, draw) => {
  const steps = [...plan.steps]
  const [one, two] = [draw.int(0, steps.length - 1), draw.int(0, steps.length - 1)]
  const [a, b] = [steps[one], steps[two]]
  if (a !== undefined && b !== undefined) [steps[one], steps[two]] = [b, a]
  return withSteps(plan, steps)
}

const insert: Change = (plan, other, draw) => {
  const [from, to] = stretch(other.steps, draw)
  const at = draw.int(0, plan.steps.length)
  return withSteps(plan, [...plan.steps.slice(0, at), ...other.steps.slice(from, to), ...plan.steps.slice(at)])
}

/** Joins the beginning of `plan` and the end of `other`. */
const cross: Change = (plan, other, draw) =>
  withSteps(plan, [
    ...plan.steps.slice(0, draw.int(1, plan.steps.length)),
    ...other.steps.slice(draw.int(0, other.steps.length))
  ])

/** Gives the plan another seed: fibers run in another order, ids are different, and faults strike at other times. */
const reseed: Change = (plan, _, draw) => ({
  ...plan,
  seed: draw.int(1, 2 ** 31 - 1),
  scheduling: draw.chance(0.7) ? "random" : "fifo"
})

const faults: Change = (plan, other, draw) => ({ ...plan, faults: draw.chance(0.5) ? other.faults : {} })

/** The keys that lead from a value to one of its parts. */
type Path = ReadonlyArray<string>

/**
 * The paths of all numbers in a value, at any depth. The depth is needed because a step may contain deeds, and a deed
 * may contain a question with numbers.
 */
const numbersIn = (value: unknown, path: Path = []): ReadonlyArray<readonly [Path, number]> => {
  if (typeof value === "number") return [[path, value]]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => numbersIn(part, [...path, key]))
}

/** The value with another number at the path. */
const replaced = (value: unknown, [key, ...rest]: Path, next: number): unknown => {
  if (key === undefined) return next
  if (Array.isArray(value)) return value.with(Number(key), replaced(value[Number(key)], rest, next))
  const fields = value as Readonly<Record<string, unknown>>
  return { ...fields, [key]: replaced(fields[key], rest, next) }
}

/** One number of one step becomes a boundary value, or grows or shrinks by 1. */
const number: Change = (plan, _, draw) => {
  const at = draw.int(0, plan.steps.length - 1)
  const step = plan.steps[at]
  const numbers = numbersIn(step)
  if (numbers.length === 0) return plan
  const [path, value] = draw.pick(numbers)
  const next = draw.chance(0.3) ? value + draw.pick([-1, 1] as const) : draw.pick(EDGES)
  // `isPlan` judges whether the step may have this number.
  const steps: ReadonlyArray<unknown> = plan.steps.with(at, replaced(step, path, next) as PlanStep)
  const changed: unknown = { ...plan, steps }
  return isPlan(changed) ? changed : plan
}

const CHANGES: ReadonlyArray<Change> = [
  drop,
  repeat,
  swap,
  insert,
  insert,
  cross,
  reseed,
  faults,
  number,
  number,
  number
]
