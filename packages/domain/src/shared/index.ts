/**
 * The modules that any room may use: ids, time, scopes, cursors, telemetry, the errors that several programs share, and
 * the ports of randomness (`Entropy`) and of digests and keys (`Vault`). `program` declares a program, so that each run
 * of it has a span. No module here imports another room.
 *
 * @module
 */

export { Bag } from "./Bag.js"
export * as Cursor from "./Cursor.js"
export * as Entropy from "./Entropy.js"
// These types are exported by name, because the compiler could not name them in declaration files if only a namespace
// exported them.
export type { Entropy as EntropyPort } from "./Entropy.js"
export * from "./Ids.js"
export {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  Problem,
  retryTransient,
  type StoreEffect,
  StoreError
} from "./Errors.js"
export * from "./OutdatedForm.js"
export * as JudgedClock from "./JudgedClock.js"
export * as Language from "./Language.js"
export * as Pacing from "./Pacing.js"
export * as Page from "./Page.js"
export { fn, gen, type Program, program, withPort } from "./Program.js"
export * as Scope from "./Scope.js"
export * as Telemetry from "./Telemetry.js"
export * as Text from "./Text.js"
export * as TimeZone from "./TimeZone.js"
export * as Timestamp from "./Timestamp.js"
export * as Token from "./Token.js"
export * as Vault from "./Vault.js"
export type { Vault as VaultPort, VaultError } from "./Vault.js"
export * as Words from "./Words.js"
