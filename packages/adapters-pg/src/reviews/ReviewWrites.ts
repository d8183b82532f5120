import type { SqlClient } from "@effect/sql/SqlClient"
import type { ReviewDecision } from "@place-access/domain/reviews"
import type { ReviewSubject } from "@place-access/domain/staff"
import { Effect } from "effect"
import * as AuditLog from "../audit/SqlAuditLog.js"
import * as MailOutbox from "../mail/MailOutbox.js"
import * as Rows from "../driver/Rows.js"

/**
 * Stores a decision and its audit event, and queues the mails about the decision. Runs in the transaction that changes
 * the reviewed app or purpose.
 */
export const record = (sql: SqlClient, recorded: ReviewDecision.RecordedDecision<ReviewSubject> | undefined) =>
  Effect.gen(function* () {
    if (recorded === undefined) return
    const { audit, decision, mails } = recorded
    yield* sql`INSERT INTO review_decisions (app_id, decided_at, decision_id, subject_kind, subject_id, subject, kind, note,
                                             decided_by)
               VALUES (${decision.appId}, ${Rows.at(decision.at)}, ${decision.id}, ${decision.subject.kind},
                       ${decision.subject.id}, ${Rows.json(decision.subject)}::jsonb, ${decision.kind},
                       ${decision.note}, ${decision.by})`
    yield* AuditLog.append(sql, audit)
    for (const mail of mails) yield* MailOutbox.queue(sql, mail, decision.at)
  })
