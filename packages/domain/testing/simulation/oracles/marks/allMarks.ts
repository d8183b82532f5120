import type { Run } from "../../Oracle.js"
import * as connectionMarks from "./connectionMarks.js"
import * as importMarks from "./importMarks.js"
import * as listenerMarks from "./listenerMarks.js"
import * as ruleMarks from "./ruleMarks.js"
import * as steeringMarks from "./steeringMarks.js"
import * as troubleMarks from "./troubleMarks.js"

const FAMILIES = [connectionMarks, ruleMarks, steeringMarks, troubleMarks, listenerMarks, importMarks]

/**
 * The names of all marks. A mark is a rare situation that at least one run of a swarm (many random runs) must reach.
 */
export const names: ReadonlySet<string> = new Set(FAMILIES.flatMap((family) => family.names))

/** The marks that a run reached. */
export const reached = (run: Run): ReadonlySet<string> =>
  new Set(FAMILIES.flatMap((family) => [...family.reached(run)]))
