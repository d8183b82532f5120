import { Simulation } from "@place-access/domain/testing"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as marks from "../../testing/simulation/oracles/marks/allMarks.js"
import { breath } from "../support/breath.js"

const FOLDER = join(import.meta.dirname, "seeds")
/**
 * The first of the `RUNS` seeds that this test runs for every change. The seeds are fixed: when a run fails, the change
 * is the cause. There are few seeds, because a run takes long on a slow machine.
 */
const FIRST = 5_000
const RUNS = 25
const TWICE = 5
/**
 * A change of the domain or of the generators changes the random runs. Then the seeds in `marks.json` may no longer
 * reach every mark (a situation that the runs together must reach). In this case the test also runs the seeds from 1 to
 * `MORE`, and prints which seeds to add to `marks.json`.
 */
const MORE = 500
const ALL_MARKS = marks.names

interface FoundPlan {
  readonly invariant: string
  readonly note: string
  readonly plan: unknown
}

const read = <A>(...path: ReadonlyArray<string>): A => JSON.parse(readFileSync(join(FOLDER, ...path), "utf8")) as A
const found = readdirSync(join(FOLDER, "found")).map((name) => [name, read<FoundPlan>("found", name)] as const)
const corpus = read<{ readonly seeds: ReadonlyArray<number>; readonly plans: ReadonlyArray<unknown> }>("marks.json")

const clean = async (plan: Simulation.Plan): Promise<Simulation.PlanResult> => {
  await breath()
  const result = Simulation.runPlanSync(plan)
  if (result.violations.length > 0) expect.fail(Simulation.failureOf(result))
  firstHash.set(plan, firstHash.get(plan) ?? result.traceHash)
  return result
}

/**
 * For each plan, the hash of its first run in this process. So a test that compares two runs of a plan has to run the
 * plan only once more.
 */
const firstHash = new Map<Simulation.Plan, string>()

const plans = [...corpus.seeds.map((seed) => Simulation.Swarm.plan(seed)), ...corpus.plans.map(Simulation.readPlan)]

describe("plans that broke a rule once", () => {
  it.each(found)("%s holds", (_, { plan }) => {
    expect(Simulation.runPlanSync(Simulation.readPlan(plan)).violations).toEqual([])
  })
})

describe("the seeds that are run with every change", () => {
  it("reach everything rare that a run must reach now and then, and break no rule", async () => {
    const missing = new Set(ALL_MARKS)
    const run = async (plan: Simulation.Plan) => {
      const before = missing.size
      for (const mark of marks.reached(await clean(plan))) missing.delete(mark)
      return missing.size < before
    }
    for (const plan of plans) await run(plan)
    for (let seed = 1; missing.size > 0 && seed <= MORE; seed++) {
      if (!corpus.seeds.includes(seed) && (await run(Simulation.Swarm.plan(seed)))) {
        process.stderr.write(`To do: add seed ${seed} to marks.json.\n`)
      }
    }
    expect([...missing]).toEqual([])
  })

  it("each seed gives the same trace again", async () => {
    for (const plan of plans.slice(0, TWICE)) {
      const first = firstHash.get(plan) ?? (await clean(plan)).traceHash
      expect((await clean(plan)).traceHash).toBe(first)
    }
  })

  it(`are ${RUNS} more, which break no rule`, async () => {
    for (let seed = FIRST; seed < FIRST + RUNS; seed++) await clean(Simulation.Swarm.plan(seed))
  })
})

/**
 * With `MARKS=n`, the test chooses among the seeds from 1 to `n` a few that together reach every mark. 0: there is no
 * such test.
 */
const search = Number(process.env["MARKS"] ?? 0)

const searching = (name: string, body: () => void) => {
  // Without `MARKS` this file has no test that searches for seeds. A skipped test would be reported in every run.
  for (const each of search > 0 ? [name] : []) it(each, { timeout: 0 }, body)
}

searching("seeds that reach every mark are found", () => {
  const byMark = new Map<string, Array<number>>()
  const bySeed = new Map<number, ReadonlySet<string>>()
  const steps = new Map<number, number>()
  for (let seed = 1; seed <= search; seed++) {
    const run = Simulation.randomSync({ seed })
    if (run.violations.length > 0) continue
    bySeed.set(seed, marks.reached(run))
    steps.set(seed, run.steps)
    for (const mark of bySeed.get(seed) ?? []) byMark.set(mark, [...(byMark.get(mark) ?? []), seed])
  }
  const left = new Set(byMark.keys())
  const chosen: Array<number> = []
  while (left.size > 0) {
    // The value of a seed: high when it reaches many marks that few other seeds reach, and when its run has few steps.
    const worth = (seed: number): number =>
      [...(bySeed.get(seed) ?? [])].reduce(
        (sum, mark) => sum + (left.has(mark) ? 1 / (byMark.get(mark)?.length ?? 1) : 0),
        0
      ) / (steps.get(seed) ?? 1)
    const best = [...bySeed.keys()].reduce((a, b) => (worth(b) > worth(a) ? b : a))
    chosen.push(best)
    for (const mark of bySeed.get(best) ?? []) left.delete(mark)
  }
  process.stdout.write(`${JSON.stringify(chosen.sort((a, b) => a - b))}\n`)
  expect([...ALL_MARKS].filter((mark) => !byMark.has(mark))).toEqual([])
})
