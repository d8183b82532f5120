import { Simulation } from "@place-access/domain/testing"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { all } from "../../../testing/simulation/oracles/index.js"
import { breath } from "../../support/breath.js"
import { plants as planned } from "./all.js"
import { type Plant, planted } from "./plant.js"

/**
 * The swarm alone finds every planted bug within 500 runs from seed 1 on, except for bugs with `isRare`. For each bug,
 * `swarm.json` has the seed that finds it. When the generators change, a seed may not find its bug any more. The test
 * then tries the other seeds until one finds the bug, which can take minutes, and prints that seed. To look for the
 * seeds of all bugs: PLANTS=500 npx vitest run packages/domain/test/simulation/plants/swarm.test.ts -t "looked for".
 * The search keeps a seed as long as the seed finds its bug, even when the run of the seed has become slow. To replace
 * such a seed, delete its line in `swarm.json`, and search again.
 */
const plants = planned.filter(({ isRare }) => isRare === undefined)
const FILE = join(import.meta.dirname, "swarm.json")
const MOST_RUNS = 500

const nameOf = ({ oracle, what }: Plant): string => `${oracle}: ${what}`
const read = () => JSON.parse(readFileSync(FILE, "utf8")) as Readonly<Record<string, number>>
const recorded = read()

const isFound = ({ oracle, ...plant }: Plant, seed: number): boolean => {
  const oracles = all.filter(({ name }) => name === oracle)
  const { violations } = Simulation.randomSync({ seed, ...planted(plant), oracles })
  return violations.some(({ invariant }) => invariant === oracle)
}

/** Seeds that find other bugs come first: they are few, and likely to be short runs. */
const anotherThatFinds = async (plant: Plant): Promise<number | undefined> => {
  const seeds = new Set([...Object.values(recorded), ...Array.from({ length: MOST_RUNS }, (_, n) => n + 1)])
  for (const seed of seeds) {
    await breath()
    if (isFound(plant, seed)) return seed
  }
  return undefined
}

describe("bugs planted in the service and found by the swarm", () => {
  it("are all in the file, and nothing else is", () => {
    expect(Object.keys(recorded).sort()).toEqual(plants.map(nameOf).sort())
  })

  it.each(plants.map((plant) => [plant.oracle, plant.what, recorded[nameOf(plant)] ?? 0, plant] as const))(
    "%s sees that %s: run %i of 500",
    async (_oracle, _what, seed, plant) => {
      await breath()
      expect(seed).toBeGreaterThanOrEqual(1)
      expect(seed).toBeLessThanOrEqual(MOST_RUNS)
      if (isFound(plant, seed)) return
      const found = await anotherThatFinds(plant)
      if (found === undefined) throw new Error("None of 500 runs finds the bug.")
      process.stderr.write(`${nameOf(plant)}: write seed ${found} into swarm.json, seed ${seed} finds it no more.\n`)
      expect(Simulation.randomSync({ seed: found }).violations).toEqual([])
    }
  )

  // The swarm finds the plant, and not a violation that exists without the plant.
  it.each([...new Set(Object.values(recorded))])("run %i finds nothing without a plant", async (seed) => {
    await breath()
    expect(Simulation.randomSync({ seed }).violations).toEqual([])
  })
})

/** All seeds, those with the shortest runs first, because the tests repeat the run of each seed in `swarm.json`. */
const shortestFirst = (): ReadonlyArray<number> => {
  const seeds = Array.from({ length: MOST_RUNS }, (_, n) => n + 1)
  const lengths = new Map(seeds.map((seed) => [seed, Simulation.randomSync({ seed, oracles: [] }).steps]))
  return seeds.sort((a, b) => (lengths.get(a) ?? 0) - (lengths.get(b) ?? 0))
}

/**
 * The tests run each different seed of the file once more without a planted bug. So the file should have few different
 * seeds, and seeds with short runs. The search tries first the seeds that the file already has for other bugs, because
 * these add no run to the tests, but only those among the `SHORT` shortest runs. Then it tries the seeds that the file
 * does not have, and last the other seeds of the file, whose runs are longer.
 */
const SHORT = 100
const usedFirst = (seeds: ReadonlyArray<number>): ReadonlyArray<number> => {
  const used = new Set(Object.values(read()))
  const isUsed = (seed: number) => used.has(seed)
  const [short, long] = [seeds.slice(0, SHORT), seeds.slice(SHORT)]
  return [...short.filter(isUsed), ...seeds.filter((seed) => !isUsed(seed)), ...long.filter(isUsed)]
}

const search = Number(process.env["PLANTS"] ?? 0)

// Not a skipped test: there is no test without `PLANTS`.
for (const each of search > 0 ? ["seeds that find them are looked for"] : []) {
  it(each, { timeout: 0 }, async () => {
    const missed: Array<string> = []
    const seeds = shortestFirst()
    for (const plant of plants) {
      const name = nameOf(plant)
      const before = read()[name]
      if (before !== undefined && isFound(plant, before)) continue
      let tries = 0
      const seed = usedFirst(seeds.slice(0, search)).find((one) => (tries++, isFound(plant, one)))
      process.stdout.write(`${name}: ${seed ?? "not found"} after ${tries}\n`)
      const { [name]: _, ...others } = read()
      const found = seed === undefined ? others : { ...others, [name]: seed }
      writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`)
      if (seed === undefined) missed.push(name)
      await breath()
    }
    expect(missed).toEqual([])
  })
}
