import type { RecordedDecision } from "../../../src/reviews/ReviewDecision.js"
import type { ReviewSubject } from "../../../src/staff/ReviewStore.js"
import type { Tables } from "../MemoryDatabase.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

/** Stores a decision with its audit event and queues its mails. Stores call this function with their change. */
export const record = (tables: Tables, { audit, decision, mails }: RecordedDecision<ReviewSubject>): void => {
  tables.reviewDecisions.push(decision)
  MemoryAuditLog.append(tables, audit)
  for (const mail of mails) MemoryMailOutbox.queue(tables, mail, decision.at)
}
