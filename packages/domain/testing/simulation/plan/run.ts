import { Duration } from "effect"
import type { Violation } from "../Oracle.js"
import { all } from "../oracles/index.js"
import { memory } from "../ports/MemoryBackend.js"
import * as Simulation from "../Simulation.js"
import { simplified } from "./simplified.js"
import type { Plan } from "./Plan.js"
import { play } from "./play.js"
import { isPlan } from "./readPlan.js"
import * as Swarm from "./Swarm.js"
import { REST_CAP } from "../world/Stage.js"

/** The settings of a run that a plan does not contain. */
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

const judged = (plan: Plan, result: Simulation.SimResult, config: PlanConfig): PlanResult => ({
  ...result,
  violations: [...result.violations, ...broken(result, config)],
  plan
})

/**
 * The result of a run that threw an error. The result has no trace and one violation, so a search reports the error
 * like a broken rule. The cause is a bug of the simulation or of a backend, or a program that used the host's clock,
 * randomness or timers (`Guard`).
 */
export const failedRun = (plan: Plan, error: unknown): PlanResult => {
  const stopped = error instanceof Error ? error.message : String(error)
  return {
    plan,
    seed: plan.seed,
    traceHash: "0".repeat(64),
    steps: 0,
    virtualMs: 0,
    violations: [{ invariant: "runs to its end", at: 0, detail: stopped }],
    marks: {},
    entries: [],
    jsonl: "",
    stopped,
    quiesced: false
  }
}

/** Runs a plan in memory. The run is over when this call returns. */
export const runPlanSync = (plan: Plan, config: PlanConfig = {}): PlanResult =>
  judged(plan, Simulation.runSync(configured(plan, config), play(plan)), config)

/** Runs a plan with any backend. */
export const runPlan = async (plan: Plan, config: PlanConfig = {}): Promise<PlanResult> =>
  judged(plan, await Simulation.run(configured(plan, config), play(plan)), config)

/** In every plan, a delivery or an operation that never ended is a violation. */
const broken = (
  { entries, quiesced }: Simulation.SimResult,
  { restCap = REST_CAP }: PlanConfig
): ReadonlyArray<Violation> => {
  const detail = `after the faults, a delivery or an operation had not ended within ${Duration.format(restCap)}`
  return quiesced ? [] : [{ invariant: "comes to rest", at: entries.length - 1, detail }]
}

export interface RandomConfig extends PlanConfig {
  readonly seed: number
  /**
   * About the largest number of steps: a whole number, at least 1. When a plan has this number of steps or more, no
   * further story begins, but a story that has begun is completed.
   */
  readonly steps?: number | undefined
}

/** Draws a plan from the seed (features, steps and faults) and runs it. */
export const random = ({ seed, steps, ...config }: RandomConfig): Promise<PlanResult> =>
  runPlan(Swarm.plan(seed, steps), config)

/** Draws a plan from the seed and runs it in memory. The run is over when this call returns. */
export const randomSync = ({ seed, steps, ...config }: RandomConfig): PlanResult =>
  runPlanSync(Swarm.plan(seed, steps), config)

export interface ShrinkConfig extends PlanConfig {
  /** A smaller plan must still break at least one of these invariants. Default: all invariants that the plan breaks. */
  readonly invariants?: ReadonlyArray<string> | undefined
  /** The largest number of runs of smaller plans. Default: 400. */
  readonly attempts?: number | undefined
  /** Called before each run. When this function returns true, the search ends. */
  readonly isEnough?: (() => boolean) | undefined
  /** Called after each run, with the number of runs and the number of steps of the smallest plan so far. */
  readonly onRun?: ((attempts: number, steps: number) => void) | undefined
}

export interface Shrunk {
  readonly plan: Plan
  readonly result: PlanResult
  readonly attempts: number
}

/**
 * Finds a smaller plan that still breaks one of the invariants. Every attempt costs a run, so the search first removes
 * faults and then long stretches of steps. It then makes the values of the remaining steps simpler, one by one, and
 * tries again to remove steps.
 */
export const shrinkSync = (plan: Plan, config: ShrinkConfig = {}): Shrunk => {
  const steps = shrinking(plan, config)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * Shrinks a plan: searches for a smaller plan that still breaks a rule. A generator that yields before the run of each
 * candidate, so that the caller can let the process handle signals, such as Ctrl-C. A candidate whose run throws an
 * error is rejected. If the run of the plan itself throws, the plan is returned unchanged.
 */
export function* shrinking(
  plan: Plan,
  { attempts = 400, invariants, isEnough, onRun, ...config }: ShrinkConfig = {}
): Generator<void, Shrunk> {
  if ((config.backend ?? memory).isHosted) throw new TypeError("Plans are cut down in memory only")
  const first = attempt(plan, config)
  if (first.entries.length === 0) return { plan, result: first, attempts: 0 }
  let result = first
  const wanted = new Set(invariants ?? result.violations.map(({ invariant }) => invariant))
  let count = 0
  const isOver = () => count >= attempts || (isEnough?.() ?? false)
  function* breaks(candidate: Plan): Generator<void, boolean> {
    if (isOver()) return false
    yield
    if (isOver()) return false
    count++
    const tried = attempt(candidate, config)
    const isBroken = tried.entries.length > 0 && tried.violations.some(({ invariant }) => wanted.has(invariant))
    if (isBroken) result = tried
    onRun?.(count, result.plan.steps.length)
    return isBroken
  }
  if (wanted.size > 0) {
    yield* withoutFaults(result.plan, breaks)
    yield* withoutSteps(() => result.plan, breaks)
    yield* simpler(() => result.plan, breaks, isOver)
    yield* withoutSteps(() => result.plan, breaks)
  }
  return { plan: result.plan, result, attempts: count }
}

const attempt = (plan: Plan, config: PlanConfig): PlanResult => {
  try {
    return runPlanSync(plan, config)
  } catch (error) {
    return failedRun(plan, error)
  }
}

type Breaks = (candidate: Plan) => Generator<void, boolean>

function* withoutFaults(plan: Plan, breaks: Breaks): Generator<void, void> {
  let smallest = plan
  for (const kind of [undefined, ...Object.keys(plan.faults)]) {
    const faults =
      kind === undefined ? {} : Object.fromEntries(Object.entries(smallest.faults).filter(([name]) => name !== kind))
    const candidate = { ...smallest, faults }
    if (Object.keys(smallest.faults).length > 0 && (yield* breaks(candidate))) smallest = candidate
  }
}

/**
 * Tries to remove steps from the plan: first each half of the steps, then each quarter, and so on down to single steps.
 * A part stays removed only if the plan still breaks an invariant without this part.
 */
function* withoutSteps(plan: () => Plan, breaks: Breaks): Generator<void, void> {
  for (let size = Math.ceil(plan().steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < plan().steps.length;) {
      const { steps } = plan()
      const candidate = { ...plan(), steps: [...steps.slice(0, from), ...steps.slice(from + size)] }
      if (!(yield* breaks(candidate))) from += size
    }
  }
}

/** Makes the values of the plan simpler, one after the other, as long as the plan still breaks an invariant. */
function* simpler(plan: () => Plan, breaks: Breaks, isOver: () => boolean): Generator<void, void> {
  for (let goesOn = true; goesOn && !isOver();) {
    goesOn = false
    const { faults, people, scheduling, seed, steps, workers, ...rest } = plan()
    for (const candidate of simplified({ ...rest, steps })) {
      if (isOver()) return
      const simpler = { ...(candidate as object), faults, people, scheduling, seed, workers }
      // A simpler value may make the plan invalid: for example, a field may allow 7, 30 and 90, but no number in
      // between.
      if (!isPlan(simpler) || !(yield* breaks(simpler))) continue
      goesOn = true
      break
    }
  }
  for (const change of [{ workers: 1 }, { people: 1 }, { scheduling: "fifo" }] as const) {
    if (!isOver()) yield* breaks({ ...plan(), ...change })
  }
}
