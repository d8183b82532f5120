/**
 * The access log: the user's list of everything that apps asked and learned about them. An entry (`AccessLogEntry`)
 * says in words what was disclosed. It has no coordinate and no token, and outlives the connection. The HTTP adapter
 * calls `recordAccess` before the answer to an app leaves; deliveries add an entry for each firing of a rule. The
 * user's pages read the log with `listAccessLog`.
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
  type UseCounts as CountedUses
} from "./AccessLogStore.js"
export {
  type AccessLogPage,
  type ListedEntry as ReadableEntry,
  listAccessLog,
  type LoggedPurpose,
  type Query as AccessLogQuery
} from "./listAccessLog.js"
export { type Access, countDeadCall, recordAccess, type Repeat } from "./recordAccess.js"
