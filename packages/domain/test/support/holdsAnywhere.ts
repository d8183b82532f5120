import { FastCheck as fc } from "effect"

/**
 * Whether `holdsAnywhere` also checks a property with a new seed in each run. In CI it does not: there,
 * `propertySeed.ts` gives the same seed to every run, so this check would only repeat the check with the fixed seed.
 */
const hasNewSeeds = process.env["CI"] === undefined || process.env["PROPERTY_SEED"] !== undefined

/**
 * Checks a property twice: with a seed that differs in each run, and with a fixed seed. When the property fails,
 * fast-check prints the seed, and `PROPERTY_SEED=n` repeats it. With the fixed seed all runs are the same, so a test
 * can count what they reach, such as the transitions of a state machine. `seed` must be a seed with which the runs
 * reach everything that the test counts.
 */
export const holdsAnywhere = <Ts>(property: fc.IProperty<Ts>, numRuns: number, seed = 1): void => {
  if (hasNewSeeds) fc.assert(property, { numRuns })
  fc.assert(property, { numRuns, seed })
}

/**
 * Checks an asynchronous property with a new seed and with a fixed seed, as `holdsAnywhere` does for synchronous
 * properties.
 */
export const holdsAnywhereAsync = async <Ts>(
  property: fc.IAsyncProperty<Ts>,
  numRuns: number,
  seed = 1
): Promise<void> => {
  if (hasNewSeeds) await fc.assert(property, { numRuns })
  await fc.assert(property, { numRuns, seed })
}
