import * as FastCheck from "effect/FastCheck"

/**
 * The seed of properties. In CI it is always the same, so that only the change under test can make a run fail.
 * Elsewhere it differs in each run, which finds rare counterexamples. `PROPERTY_SEED=n` repeats a run.
 */
const given = process.env["PROPERTY_SEED"] ?? (process.env["CI"] === undefined ? undefined : "1")
if (given !== undefined) FastCheck.configureGlobal({ seed: Number(given) })
