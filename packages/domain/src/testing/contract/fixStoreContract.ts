import type { Entropy } from "../../shared/Entropy.js"
import type { FixStore } from "../../fixes/FixStore.js"
import type { Contract } from "../Contract.js"
import { carrying } from "./fixes/carrying.js"
import { committing } from "./fixes/committing.js"
import { evaluated } from "./fixes/evaluations.js"
import { liveRules } from "./fixes/liveRules.js"
import { noticed } from "./fixes/noticed.js"
import { puttingAside } from "./fixes/putAside.js"
import type { FixSubjects } from "./FixSubjects.js"
import type { Needs } from "./uploadSamples.js"

/** Rules of `FixStore`, for whoever implements that port alone: people, phones and rules come from `FixSubjects`. */
export const fixStoreContract: Contract<FixStore | FixSubjects | Entropy> = committing

/** How `FixStore` goes together with the stores of connections, places, rules and devices, for whoever implements these as well. */
export const fixStoreRulesContract: Contract<Needs> = [
  ...noticed,
  ...carrying,
  ...puttingAside,
  ...liveRules,
  ...evaluated
]
