import { FastCheck as fc } from "effect"

/**
 * Holds from a new place each time, which fast-check prints when it does not (`PROPERTY_SEED=n` repeats it), and from one that is always
 * the same: so what a test counts afterwards, such as the arrows of a drawing that were reached, does not depend on luck.
 */
export const holdsAnywhere = <Ts>(property: fc.IProperty<Ts>, numRuns: number): void => {
  fc.assert(property, { numRuns })
  fc.assert(property, { numRuns, seed: 1 })
}

/** As `holdsAnywhere`, for properties whose programs are waited for. */
export const holdsAnywhereAsync = async <Ts>(property: fc.IAsyncProperty<Ts>, numRuns: number): Promise<void> => {
  await fc.assert(property, { numRuns })
  await fc.assert(property, { numRuns, seed: 1 })
}
