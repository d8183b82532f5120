/**
 * What every room uses: ids, time, scopes, cursors, the errors of several programs, and the ports of randomness,
 * sealing and telemetry. `Program` is how a program is declared, so that each one has a span. Nothing here knows a noun
 * of the product.
 *
 * @module
 */

export { Bag } from "./Bag.js"
export * as Cursor from "./Cursor.js"
export * as Entropy from "./Entropy.js"
// Exported by name too, because declaration files cannot name these types otherwise.
export type { Entropy as EntropyPort } from "./Entropy.js"
export * from "./Ids.js"
export * from "./Errors.js"
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
