import { Effect } from "effect"
import * as AuditEvent from "../../src/audit/AuditEvent.js"
import { AuditLog } from "../../src/audit/AuditLog.js"
import type { UserId } from "../../src/shared/Ids.js"
import * as Timestamp from "../../src/shared/Timestamp.js"

/** An audit event about the account, with the present time. */
export const auditEvent = (userId: UserId, detail: AuditEvent.AuditDetail) =>
  Effect.map(Timestamp.now, (at): AuditEvent.AuditEvent => ({ at, userId, actor: AuditEvent.OWNER, detail }))

/**
 * The stored events about the account, newest first. The ids are left out, because the store makes the ids and a case
 * cannot know them.
 */
export const auditOf = (userId: UserId) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* AuditLog).list({ userId }, 1_000, undefined)
    return items.map(({ actor, at, detail, userId: about }): AuditEvent.AuditEvent => ({
      at,
      userId: about,
      actor,
      detail
    }))
  })
