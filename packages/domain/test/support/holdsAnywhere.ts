import { FastCheck as fc } from "effect"

/**
 * Checks a property with a new seed and with a fixed seed. fast-check prints the new seed when the property fails, and
 * `PROPERTY_SEED=n` repeats it. The fixed seed makes runs comparable: a test that counts what its runs reached, such as
 * the transitions of a state machine, counts the same each time.
 */
export const holdsAnywhere = <Ts>(property: fc.IProperty<Ts>, numRuns: number): void => {
  fc.assert(property, { numRuns })
  fc.assert(property, { numRuns, seed: 1 })
}

/** Like `holdsAnywhere`, for asynchronous properties. */
export const holdsAnywhereAsync = async <Ts>(property: fc.IAsyncProperty<Ts>, numRuns: number): Promise<void> => {
  await fc.assert(property, { numRuns })
  await fc.assert(property, { numRuns, seed: 1 })
}
