import * as FastCheck from "effect/FastCheck"

/**
 * The seed with which fast-check runs properties. In CI it is always the same, so that a run can fail only because of
 * the change under test. Elsewhere it differs in each run, which finds rare counterexamples. `PROPERTY_SEED=n` repeats
 * a run.
 */
const given = process.env["PROPERTY_SEED"] ?? (process.env["CI"] === undefined ? undefined : "1")
if (given !== undefined) FastCheck.configureGlobal({ seed: Number(given) })
