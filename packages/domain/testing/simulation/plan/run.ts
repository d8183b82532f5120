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

const judged = (plan: Plan, result: Simulation.SimResult, config: PlanConfig): PlanResult => ({
  ...result,
  violations: [...result.violations, ...broken(result, config)],
  plan
})

/**
 * The result of a run that threw: it has no trace, and one violation. Such a run is a bug of the simulation or of a
 * backend, or a program read the host's clock (`Guard`). A search reports it like a broken rule.
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

/** Runs a plan in memory, from beginning to end in this call. */
export const runPlanSync = (plan: Plan, config: PlanConfig = {}): PlanResult =>
  judged(plan, Simulation.runSync(configured(plan, config), play(plan)), config)

/** Runs a plan over any backend. */
export const runPlan = async (plan: Plan, config: PlanConfig = {}): Promise<PlanResult> =>
  judged(plan, await Simulation.run(configured(plan, config), play(plan)), config)

/** A run in which a delivery or an operation never ended is a violation, whatever the plan was about. */
const broken = (
  { entries, quiesced }: Simulation.SimResult,
  { restCap = REST_CAP }: PlanConfig
): ReadonlyArray<Violation> => {
  const detail = `after the faults, a delivery or an operation had not ended within ${Duration.format(restCap)}`
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
 * Looks for the smallest plan that still breaks one of the invariants. Each try costs a run, so it first removes faults
 * and then whole stretches of steps. After that it makes the values of the remaining steps simpler, one by one.
 */
export const shrinkSync = (plan: Plan, config: ShrinkConfig = {}): Shrunk => {
  const steps = shrinking(plan, config)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * As `shrinkSync`, in steps: it pauses before each run, so that the caller can let the process handle signals.
 * A candidate whose run throws does not count as smaller, and the plan stays as it is when its own run throws.
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
 * Removes halves of the steps, then quarters, down to single steps. A removal stays only when the plan still breaks an
 * invariant.
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

/** Makes what is left simpler, value by value. */
function* simpler(plan: () => Plan, breaks: Breaks, isOver: () => boolean): Generator<void, void> {
  for (let goesOn = true; goesOn && !isOver();) {
    goesOn = false
    const { faults, people, scheduling, seed, steps, workers, ...rest } = plan()
    for (const candidate of simplified({ ...rest, steps })) {
      if (isOver()) return
      const simpler = { ...(candidate as object), faults, people, scheduling, seed, workers }
      // A simpler value may make a plan invalid: a field may allow 7, 30 and 90 and nothing between.
      if (!isPlan(simpler) || !(yield* breaks(simpler))) continue
      goesOn = true
      break
    }
  }
  for (const change of [{ workers: 1 }, { people: 1 }, { scheduling: "fifo" }] as const) {
    if (!isOver()) yield* breaks({ ...plan(), ...change })
  }
}
