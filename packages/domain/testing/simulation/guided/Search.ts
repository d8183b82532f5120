import * as Streams from "../engine/Streams.js"
import type { Plan } from "../plan/Plan.js"
import type { PlanResult } from "../plan/run.js"
import * as Swarm from "../plan/Swarm.js"
import { mutate } from "./Mutation.js"
import { MARKS, reachedBy } from "./Reached.js"

/**
 * A guided search for new situations. The search keeps each plan that was the first to reach a situation, and runs
 * changed forms of the kept plans. Plans that were the first to reach situations that are still rare are chosen more
 * often. The same seed and the same results give the same search.
 */
export interface Search {
  /** The next plan to run. */
  readonly next: () => Plan
  /**
   * Takes the result of a plan, and returns how many of its situations no earlier plan reached. `more` adds situations
   * that the trace does not show, such as lines of code that the run executed.
   */
  readonly learn: (result: Pick<PlanResult, "plan" | "entries" | "marks">, more?: ReadonlySet<string>) => number
  /** The plans that the search has kept, oldest first. */
  readonly corpus: () => ReadonlyArray<Plan>
  /** The number of different situations that the search has reached. */
  readonly reached: () => number
  /** The marks that no run reached, by name. */
  readonly missing: () => ReadonlyArray<string>
}

export interface SearchConfig {
  readonly seed: number
  /** About how many steps a randomly drawn plan has at most. */
  readonly steps?: number | undefined
  /** The plans that an earlier search kept. The search runs them first. */
  readonly corpus?: ReadonlyArray<Plan> | undefined
}

/**
 * The probability that a plan is drawn at random, and is not a changed form of a kept plan. Only random plans bring
 * stories (`pieces/story.ts`) that no kept plan has.
 */
const FRESH = 0.35
const NONE: ReadonlySet<string> = new Set()
/** A situation is rare when at most this number of runs reached it. */
const RARE = 3

interface Kept {
  readonly plan: Plan
  readonly situations: ReadonlySet<string>
  /** How many changed forms of the plan were run. */
  tried: number
}

/** Begins a search. The search first runs the plans of an earlier search (`corpus`), if there are any. */
export const start = ({ corpus: known = [], seed, steps }: SearchConfig): Search => {
  const draw = Streams.make(seed, "guided")
  const hits = new Map<string, number>()
  const kept: Array<Kept> = []
  const first = [...known]
  let fresh = 0

  /**
   * The weight of a plan in `choose`. Each rare situation that the plan was the first to reach raises the weight; each
   * changed form that was run lowers the weight.
   */
  const weightOf = ({ situations, tried }: Kept): number => {
    let rare = 1
    for (const one of situations) if ((hits.get(one) ?? 0) <= RARE) rare++
    return rare / (1 + tried)
  }

  const choose = (): Kept | undefined => {
    const weights = kept.map(weightOf)
    const total = weights.reduce((sum, one) => sum + one, 0)
    let left = (draw.int(0, 2 ** 30) / 2 ** 30) * total
    return kept.find((_, index) => (left -= weights[index] ?? 0) <= 0) ?? kept.at(-1)
  }

  return {
    next: () => {
      const given = first.shift()
      if (given !== undefined) return given
      const chosen = kept.length === 0 || draw.chance(FRESH) ? undefined : choose()
      if (chosen === undefined) return Swarm.plan(seed + fresh++, steps)
      chosen.tried++
      return mutate(chosen.plan, draw.pick(kept).plan, draw)
    },
    learn: (result, more = NONE) => {
      const situations = new Set([...reachedBy(result), ...more])
      const found = [...situations].filter((one) => !hits.has(one))
      for (const one of situations) hits.set(one, (hits.get(one) ?? 0) + 1)
      if (found.length > 0) kept.push({ plan: result.plan, situations: new Set(found), tried: 0 })
      return found.length
    },
    corpus: () => kept.map(({ plan }) => plan),
    reached: () => hits.size,
    missing: () => [...MARKS].filter((mark) => !hits.has(`mark ${mark}`)).sort()
  }
}
