/**
 * The audit log: the actions of staff and operators, and security events such as sign-ins, lock-outs and new secrets.
 * `AuditEvent` declares the events, and how long they are kept. `recordAudit` stores one event and writes it to the
 * service's log. Admins read the log with the program `listAudit` of the room `staff`.
 *
 * @module
 */

export * as AuditEvent from "./AuditEvent.js"
export { type AuditFilter, AuditLog } from "./AuditLog.js"
export { announceAudit, type AuditInput, recordAudit } from "./recordAudit.js"
