import type { RecordedDecision } from "../../../src/reviews/ReviewDecision.js"
import type { ReviewSubject } from "../../../src/staff/ReviewStore.js"
import type { Tables } from "../MemoryDatabase.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

/**
 * Stores a reviewer's decision with its audit event, and queues its mails. A store calls this function in the same
 * synchronous step as the change that follows from the decision.
 */
export const record = (tables: Tables, { audit, decision, mails }: RecordedDecision<ReviewSubject>): void => {
  tables.reviewDecisions.push(decision)
  MemoryAuditLog.append(tables, audit)
  for (const mail of mails) MemoryMailOutbox.queue(tables, mail, decision.at)
}
