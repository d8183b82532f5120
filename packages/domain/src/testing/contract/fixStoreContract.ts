import type { Contract } from "../Contract.js"
import { committing } from "./fixes/committing.js"
import { evaluated } from "./fixes/evaluations.js"
import { liveRules } from "./fixes/liveRules.js"
import type { Needs } from "./uploadSamples.js"

/** Rules of `FixStore`. */
export const fixStoreContract: Contract<Needs> = [...committing, ...liveRules, ...evaluated]
