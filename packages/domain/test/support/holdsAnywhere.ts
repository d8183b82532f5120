import { FastCheck as fc } from "effect"

/**
 * Whether properties also run with a new seed. In CI the seed of every property is fixed (`propertySeed.ts`), so that
 * run would only be a second run with a fixed seed.
 */
const hasNewSeeds = process.env["CI"] === undefined || process.env["PROPERTY_SEED"] !== undefined

/**
 * Checks a property with a new seed and with a fixed seed. fast-check prints the new seed when the property fails, and
 * `PROPERTY_SEED=n` repeats it. The fixed seed makes runs comparable: a test that counts what its runs reached, such as
 * the transitions of a state machine, counts the same each time. `seed` is a seed with which the runs reach all that is
 * counted.
 */
export const holdsAnywhere = <Ts>(property: fc.IProperty<Ts>, numRuns: number, seed = 1): void => {
  if (hasNewSeeds) fc.assert(property, { numRuns })
  fc.assert(property, { numRuns, seed })
}

/** Like `holdsAnywhere`, for asynchronous properties. */
export const holdsAnywhereAsync = async <Ts>(
  property: fc.IAsyncProperty<Ts>,
  numRuns: number,
  seed = 1
): Promise<void> => {
  if (hasNewSeeds) await fc.assert(property, { numRuns })
  await fc.assert(property, { numRuns, seed })
}
