import * as FastCheck from "effect/FastCheck"

/**
 * Where properties begin to look. In CI always at the same place, so that a red run is the doing of the change that it looks
 * at; elsewhere at a new one each time, which is how the rare counterexample is met. `PROPERTY_SEED=n` repeats a run.
 */
const given = process.env["PROPERTY_SEED"] ?? (process.env["CI"] === undefined ? undefined : "1")
if (given !== undefined) FastCheck.configureGlobal({ seed: Number(given) })
