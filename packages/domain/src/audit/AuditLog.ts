import { Context } from "effect"
import type { StoreEffect } from "../shared/Errors.js"
import type { UserId } from "../shared/Ids.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { AuditEvent, AuditKind, StoredAuditEvent } from "./AuditEvent.js"

export interface AuditFilter {
  readonly kind?: AuditKind | undefined
  /** Selects events about this account, and events that this account caused as staff or as a member of a team. */
  readonly userId?: UserId | undefined
  /** Selects events at this instant or later. */
  readonly from?: Timestamp | undefined
  /** Selects events before this instant. */
  readonly to?: Timestamp | undefined
}

/**
 * Stores security events, and the actions of staff and operators (decision audit-1). A store that changes, for example,
 * credentials, roles, teams or reviews writes the event in the transaction of the change. For other events, a program
 * calls `recordAudit`.
 */
export class AuditLog extends Context.Tag("@place-access/domain/audit/AuditLog")<
  AuditLog,
  {
    /** Stores the event, in the caller's transaction if there is one. */
    readonly append: (event: AuditEvent) => StoreEffect<void>
    /** The events that match the filter, newest first. Events of the same time are in the order of descending ids. */
    readonly list: (
      filter: AuditFilter,
      limit: number,
      after: PagePosition | undefined
    ) => StoreEffect<Page<StoredAuditEvent>>
  }
>() {}
