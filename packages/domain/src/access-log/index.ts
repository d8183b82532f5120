/**
 * The access log: a list for the user of everything that apps asked and learned about the user. An entry
 * (`AccessLogEntry`) says in words what was disclosed. An entry has no coordinate and no token, and it stays when the
 * connection ends. The HTTP adapter calls `recordAccess` before it sends an answer to an app. The programs of
 * `deliveries` add entries about events, such as the firing of a rule. The user's pages read the log with
 * `listAccessLog`.
 *
 * @module
 */

export * as AccessLogEntry from "./AccessLogEntry.js"
export {
  AccessLogStore,
  type AccessLogRequest,
  type AccessLogFilter,
  type AccessLogKey,
  type AppTally,
  type CountedUses
} from "./AccessLogStore.js"
export { type AccessLogPage, type ReadableEntry, listAccessLog, type AccessLogQuery } from "./listAccessLog.js"
export { type Access, countDeadCall, recordAccess, type Repeat } from "./recordAccess.js"
