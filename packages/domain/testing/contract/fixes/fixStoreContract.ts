import type { Entropy } from "../../../src/shared/Entropy.js"
import type { FixStore } from "../../../src/fixes/FixStore.js"
import type { Contract } from "../../Contract.js"
import { carrying } from "./carrying.js"
import { committing } from "./committing.js"
import { evaluated } from "./evaluations.js"
import { liveRules } from "./liveRules.js"
import { noticed } from "./noticed.js"
import { puttingAside } from "./putAside.js"
import { settling } from "./settling.js"
import type { FixSubjects } from "./FixSubjects.js"
import type { UploadSamplePorts } from "./uploadSamples.js"

/**
 * What every `FixStore` must guarantee, for an adapter that implements only this port: people, phones and rules come
 * from `FixSubjects`.
 */
export const fixStoreContract: Contract<FixStore | FixSubjects | Entropy> = committing

/**
 * What `FixStore` must guarantee together with the stores of connections, places, rules and devices, for an adapter
 * that also implements the ports of these stores.
 */
export const fixStoreRulesContract: Contract<UploadSamplePorts> = [
  ...noticed,
  ...carrying,
  ...puttingAside,
  ...liveRules,
  ...settling,
  ...evaluated
]
