/**
 * Connections: one user's consent to one app, with its scopes and shared places. A connection ends when the user
 * disconnects, when its standard tier ends, or for another `EndReason`; `Ending` has the writes. `EffectiveScopes`
 * computes what the app may do at this moment: the granted scopes that the app still declares and that have not lapsed.
 * Guards and rules read connections; the user's pages list and end them. Every writer locks the connection's row first.
 *
 * @module
 */

export { archivePlace, sharePlaces } from "./changeSharedPlaces.js"
export {
  type ConnectionPage,
  describeConnection,
  getConnection,
  listConsentHistory,
  listAppUsers,
  listConnections,
  listLoggedApps,
  listUses,
  type LoggedApp,
  pageConnections
} from "./readConnections.js"
export * as Connection from "./Connection.js"
export * as ConsentEntry from "./ConsentEntry.js"
export * as ConsentHistory from "./ConsentHistory.js"
export {
  type ArchiveDecision,
  ConnectionStore,
  type ConnectionDecision,
  type LockedConnection,
  type Sharing,
  type WithApp,
  type Write
} from "./ConnectionStore.js"
export * as ConnectionView from "./ConnectionView.js"
export { disconnect, endRevoked } from "./endConnections.js"
export * as EffectiveScopes from "./EffectiveScopes.js"
export * as Ending from "./Ending.js"
export * from "./Errors.js"
export * as DisconnectNotice from "./DisconnectNotice.js"
export * as Pause from "./Pause.js"
export * as SharedPlaces from "./SharedPlaces.js"
export * as Uses from "./Uses.js"
