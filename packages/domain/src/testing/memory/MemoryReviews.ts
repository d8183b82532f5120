import type { Recorded } from "../../reviews/ReviewDecision.js"
import type { Tables } from "./MemoryDatabase.js"
import * as MemoryMailOutbox from "./MemoryMailOutbox.js"

/** For the stores whose changes are decided by somebody: what is kept of it, and the mail. */
export const record = (tables: Tables, { decision, mail }: Recorded): void => {
  tables.reviewDecisions.push(decision)
  MemoryMailOutbox.queue(tables, mail, decision.at)
}
