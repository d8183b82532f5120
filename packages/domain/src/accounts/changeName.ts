import { announceAudit, AuditEvent } from "../audit/index.js"
import { program, Timestamp, type UserId } from "../shared/index.js"
import type { DisplayName } from "./Account.js"
import { AccountStore } from "./AccountStore.js"

/**
 * Stores the display name that the owner typed (decision accounts-22). A form that is sent twice records one event,
 * because the second time the account has this name already.
 */
export const changeName = program("changeName", function* (id: UserId, name: DisplayName) {
  const event: AuditEvent.AuditEvent = {
    at: yield* Timestamp.now,
    userId: id,
    actor: AuditEvent.OWNER,
    detail: { kind: "name_changed" }
  }
  if (yield* (yield* AccountStore).changeName(id, name, event)) yield* announceAudit(event)
})
