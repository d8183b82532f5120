import { Effect } from "effect"
import { program } from "../shared/Program.js"
import { now, type Timestamp } from "../shared/Timestamp.js"
import { type AuditEvent, logLine } from "./AuditEvent.js"
import { AuditLog } from "./AuditLog.js"

/**
 * The fields of an event that a program passes to `recordAudit`. If `at` is left out, the event gets the present time.
 */
export type AuditInput = Omit<AuditEvent, "at"> & { readonly at?: Timestamp }

/**
 * Stores a security event, in the caller's transaction if there is one, and writes it to the service's log. Fails when
 * the event cannot be stored, so that the caller stops: every security event must be in the audit log.
 */
export const recordAudit = program("recordAudit", function* (input: AuditInput) {
  const event: AuditEvent = { ...input, at: input.at ?? (yield* now) }
  yield* (yield* AuditLog).append(event)
  yield* announceAudit(event)
})

/**
 * Writes one line about the event to the service's log. Programs call it in place of `recordAudit` for an event that a
 * store has committed together with a change, because `recordAudit` would store this event a second time.
 */
export const announceAudit = program("announceAudit", function* (event: AuditEvent) {
  yield* Effect.annotateLogs(Effect.logInfo(`audit ${event.detail.kind}`), logLine(event))
})
