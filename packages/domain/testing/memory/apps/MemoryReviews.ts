import type { RecordedDecision } from "../../../src/reviews/ReviewDecision.js"
import type { ReviewSubject } from "../../../src/staff/ReviewStore.js"
import type { Tables } from "../MemoryDatabase.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

/** Keeps a decision and queues its mail. The stores whose changes a reviewer or admin decides call it. */
export const record = (tables: Tables, { decision, mail }: RecordedDecision<ReviewSubject>): void => {
  tables.reviewDecisions.push(decision)
  MemoryMailOutbox.queue(tables, mail, decision.at)
}
