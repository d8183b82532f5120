/**
 * Deleting an account. `deleteAccount` ends the account's sessions, connections and devices in one commit, and its apps
 * unless another owner gets them. The same commit records that other rows remain; workers call `removeDeleted` to
 * delete the person's rows in small steps until none is left. The account page calls `describeDeletion` and
 * `deleteAccount`.
 *
 * @module
 */

export * as AccountDeletion from "./AccountDeletion.js"
export { AccountDeletionStore, type Leftover } from "./AccountDeletionStore.js"
export { type Confirmation, deleteAccount, describeDeletion, removeDeleted } from "./deleteAccount.js"
