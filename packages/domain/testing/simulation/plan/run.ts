import type { Violation } from "../Oracle.js"
import { all } from "../oracles/index.js"
import { memory } from "../ports/MemoryBackend.js"
import * as Simulation from "../Simulation.js"
import { simplified } from "./simplified.js"
import type { Plan } from "./Plan.js"
import { play } from "./play.js"
import { isPlan } from "./readPlan.js"
import * as Swarm from "./Swarm.js"

/** The settings that a plan leaves open. */
export type PlanConfig = Omit<Simulation.Config, "seed" | "scheduling" | "faults" | "workers">

export interface PlanResult extends Simulation.SimResult {
  readonly plan: Plan
}

const configured = (plan: Plan, config: PlanConfig): Simulation.Config => ({
  oracles: all,
  ...config,
  seed: plan.seed,
  scheduling: plan.scheduling,
  workers: plan.workers
})

const judged = (plan: Plan, result: Simulation.SimResult): PlanResult => ({
  ...result,
  violations: [...result.violations, ...broken(result)],
  plan
})

/** Runs a plan in memory, from beginning to end in this call. */
export const runPlanSync = (plan: Plan, config: PlanConfig = {}): PlanResult =>
  judged(plan, Simulation.runSync(configured(plan, config), play(plan)))

/** Runs a plan over any backend. */
export const runPlan = async (plan: Plan, config: PlanConfig = {}): Promise<PlanResult> =>
  judged(plan, await Simulation.run(configured(plan, config), play(plan)))

/** A run in which a delivery or an operation never ended is a violation, whatever the plan was about. */
const broken = ({ entries, quiesced }: Simulation.SimResult): ReadonlyArray<Violation> => {
  const detail = "healed, it was not at rest within three days"
  return quiesced ? [] : [{ invariant: "comes to rest", at: entries.length - 1, detail }]
}

export interface RandomConfig extends PlanConfig {
  readonly seed: number
  /** About how many steps the run has. */
  readonly steps?: number | undefined
}

/** Draws everything of a run from the seed (its features, steps and faults) and runs it. */
export const random = ({ seed, steps, ...config }: RandomConfig): Promise<PlanResult> =>
  runPlan(Swarm.plan(seed, steps), config)

/** Draws a run from the seed and runs it in memory, from beginning to end in this call. */
export const randomSync = ({ seed, steps, ...config }: RandomConfig): PlanResult =>
  runPlanSync(Swarm.plan(seed, steps), config)

export interface ShrinkConfig extends PlanConfig {
  /** Left out: every invariant that the plan breaks. */
  readonly invariants?: ReadonlyArray<string> | undefined
  /** The highest number of runs. */
  readonly attempts?: number | undefined
  /** Stops the search when it returns true. */
  readonly isEnough?: (() => boolean) | undefined
  /** Called after each run with the number of runs and the number of steps of the smallest plan so far. */
  readonly onRun?: ((attempts: number, steps: number) => void) | undefined
}

export interface Shrunk {
  readonly plan: Plan
  readonly result: PlanResult
  readonly attempts: number
}

/**
 * Looks for the smallest plan that still breaks one of the invariants. It first removes faults, then whole stretches of
 * steps, because each try costs a run, and then makes the rest simpler value by value.
 */
export const shrinkSync = (
  plan: Plan,
  { attempts = 400, invariants, isEnough, onRun, ...config }: ShrinkConfig = {}
): Shrunk => {
  if ((config.backend ?? memory).isHosted) throw new TypeError("Plans are cut down in memory only")
  let result = runPlanSync(plan, config)
  const wanted = new Set(invariants ?? result.violations.map(({ invariant }) => invariant))
  let count = 0
  const isOver = () => count >= attempts || (isEnough?.() ?? false)
  const breaks = (candidate: Plan): boolean => {
    if (isOver()) return false
    count++
    const tried = runPlanSync(candidate, config)
    const isBroken = tried.violations.some(({ invariant }) => wanted.has(invariant))
    if (isBroken) result = tried
    onRun?.(count, result.plan.steps.length)
    return isBroken
  }
  if (wanted.size === 0) return { plan, result, attempts: count }
  withoutFaults(result.plan, breaks)
  withoutSteps(() => result.plan, breaks)
  simpler(() => result.plan, breaks, isOver)
  withoutSteps(() => result.plan, breaks)
  return { plan: result.plan, result, attempts: count }
}

type Breaks = (candidate: Plan) => boolean

const withoutFaults = (plan: Plan, breaks: Breaks): void => {
  let smallest = plan
  const attempt = (change: Partial<Plan>) => {
    const candidate = { ...smallest, ...change }
    if (breaks(candidate)) smallest = candidate
  }
  attempt({ faults: {} })
  for (const kind of Object.keys(smallest.faults)) {
    attempt({ faults: Object.fromEntries(Object.entries(smallest.faults).filter(([name]) => name !== kind)) })
  }
}

/**
 * Removes halves of the steps, then quarters, down to single steps. A removal stays only when the plan still breaks an
 * invariant.
 */
const withoutSteps = (plan: () => Plan, breaks: Breaks): void => {
  for (let size = Math.ceil(plan().steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < plan().steps.length;) {
      const { steps } = plan()
      const candidate = { ...plan(), steps: [...steps.slice(0, from), ...steps.slice(from + size)] }
      if (!breaks(candidate)) from += size
    }
  }
}

/** Makes what is left simpler, value by value. */
const simpler = (plan: () => Plan, breaks: Breaks, isOver: () => boolean): void => {
  for (let goesOn = true; goesOn && !isOver();) {
    goesOn = false
    const { faults, people, scheduling, seed, steps, workers, ...rest } = plan()
    for (const candidate of simplified({ ...rest, steps })) {
      if (isOver()) return
      const simpler = { ...(candidate as object), faults, people, scheduling, seed, workers }
      // A simpler value may make a plan invalid: a field may allow 7, 30 and 90 and nothing between.
      if (!isPlan(simpler) || !breaks(simpler)) continue
      goesOn = true
      break
    }
  }
  for (const change of [{ workers: 1 }, { people: 1 }, { scheduling: "fifo" }] as const) {
    if (!isOver()) breaks({ ...plan(), ...change })
  }
}
