import { Effect, Layer } from "effect"
import type { AuditEvent, StoredAuditEvent } from "../../src/audit/AuditEvent.js"
import { type AuditFilter, AuditLog } from "../../src/audit/AuditLog.js"
import * as Page from "../../src/shared/Page.js"
import { MemoryDatabase, type Tables } from "./MemoryDatabase.js"

export const layer: Layer.Layer<AuditLog, never, MemoryDatabase> = Layer.effect(
  AuditLog,
  Effect.map(MemoryDatabase, (tables) =>
    AuditLog.of({
      append: (event) => Effect.sync(() => append(tables, event)),
      list: (filter, limit, after) =>
        Effect.sync(() => {
          const rows = [...tables.auditEvents.values()]
            .filter((event) => matches(event, filter) && Page.isOlder(event.at, event.id, after))
            .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
          return Page.of(rows, limit, (last) => [last.at, last.id])
        })
    })
  )
)

/**
 * Stores an audit event. A store calls this function in the same synchronous step as the change that the event reports,
 * so that neither the change nor the event is stored alone.
 */
export const append = ({ auditEvents }: Tables, event: AuditEvent): void => {
  // The id is a counter. If it came from `Entropy`, every audit event would change all later random draws of a
  // simulation.
  const id = String(Number([...auditEvents.keys()].at(-1) ?? 0) + 1).padStart(12, "0")
  auditEvents.set(id, { ...event, id })
}

const matches = ({ actor, at, detail, userId }: StoredAuditEvent, filter: AuditFilter): boolean =>
  (filter.kind === undefined || detail.kind === filter.kind) &&
  (filter.userId === undefined || userId === filter.userId || ("id" in actor && actor.id === filter.userId)) &&
  (filter.from === undefined || at >= filter.from) &&
  (filter.to === undefined || at < filter.to)
