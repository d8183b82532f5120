/**
 * The audit log: what staff and operators did, and security events such as sign-ins, lock-outs and new secrets.
 * `AuditEvent` says what can be recorded, and how long it is kept. `recordAudit` stores one event and writes it to the
 * service's log. Admins read the log with `listAudit` of `staff`.
 *
 * @module
 */

export * as AuditEvent from "./AuditEvent.js"
export { type AuditFilter, AuditLog } from "./AuditLog.js"
export { announceAudit, type AuditInput, recordAudit } from "./recordAudit.js"
