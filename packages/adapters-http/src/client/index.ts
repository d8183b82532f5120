/**
 * The client for apps. It has a typed function for every call of an app, stores and refreshes the tokens, retries as
 * the service's headers say, and reads lists page by page. It needs `fetch` and Web Crypto and imports no package, so
 * it runs in Node, workers and browsers. docs/client.md shows how to use it.
 *
 * This folder imports no other folder, and no other folder imports it. `fileTokenStore.ts` is not exported here,
 * because it needs Node.
 *
 * @module
 */

export {
  type AuthorizationRequest,
  challengeOf,
  type PendingAuthorization,
  type StartedAuthorization
} from "./Authorization.js"
export type { CallOptions, CreateOptions, PlaceAccessOptions } from "./ClientOptions.js"
export type * from "./Contract.js"
export { type ConnectedAs, createClient, type PlaceAccessClient } from "./createClient.js"
export {
  type ClientFailureCode,
  type FailureCode,
  isPlaceAccessError,
  PlaceAccessError,
  type ServiceFailureCode
} from "./Failure.js"
export type { Pages } from "./Pages.js"
export type { ClientRuntime } from "./Runtime.js"
export type * from "./TestPeopleContract.js"
export {
  type BrowserParts,
  browserTokenStore,
  type ClientTokenStore,
  memoryTokenStore,
  type StoredTokens
} from "./TokenStore.js"
