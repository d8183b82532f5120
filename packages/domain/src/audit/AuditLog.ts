import { Context } from "effect"
import type { StoreEffect } from "../shared/Errors.js"
import type { UserId } from "../shared/Ids.js"
import type { Page, PagePosition } from "../shared/Page.js"
import type { Timestamp } from "../shared/Timestamp.js"
import type { AuditEvent, AuditKind, StoredAuditEvent } from "./AuditEvent.js"

export interface AuditFilter {
  readonly kind?: AuditKind | undefined
  /** Events about this account, and events that it caused as staff or as a member of a team. */
  readonly userId?: UserId | undefined
  /** Events at this instant or later match. */
  readonly from?: Timestamp | undefined
  /** Events before this instant match. */
  readonly to?: Timestamp | undefined
}

/**
 * Security events, and what staff and operators did. Stores that change credentials, roles or reviews write the event
 * in the transaction of the change; for other events a program calls `recordAudit`. Decision audit-1.
 */
export class AuditLog extends Context.Tag("@place-access/domain/audit/AuditLog")<
  AuditLog,
  {
    /** Stores the event, in the caller's transaction if there is one. */
    readonly append: (event: AuditEvent) => StoreEffect<void>
    /** Newest first, then by descending id. */
    readonly list: (
      filter: AuditFilter,
      limit: number,
      after: PagePosition | undefined
    ) => StoreEffect<Page<StoredAuditEvent>>
  }
>() {}
