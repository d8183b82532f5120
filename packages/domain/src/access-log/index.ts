export * as AccessLogEntry from "./AccessLogEntry.js"
export {
  AccessLogStore,
  type Asked,
  type Filter as AccessLogFilter,
  type Key as AccessLogKey,
  type Uses as CountedUses
} from "./AccessLogStore.js"
export {
  type AccessLogPage,
  type Entry as ReadableEntry,
  listAccessLog,
  type LoggedPurpose,
  type Query as AccessLogQuery
} from "./listAccessLog.js"
export { listLoggedApps, type LoggedApp } from "./listLoggedApps.js"
export { type Access, recordAccess } from "./recordAccess.js"
