/**
 * Deletions of accounts. In one commit, `deleteAccount` deletes the account and its sessions, ends its connections and
 * devices, and revokes its apps unless another owner takes them over. The same commit records that other rows remain.
 * Workers call `removeDeleted` to delete these rows in small steps until none is left. The account page calls
 * `describeDeletion` and `deleteAccount`.
 *
 * @module
 */

export * as AccountDeletion from "./AccountDeletion.js"
export { AccountDeletionStore, type Leftover } from "./AccountDeletionStore.js"
export {
  beginDeletion,
  type Confirmation,
  deleteAccount,
  describeDeletion,
  isDeleted,
  removeDeleted
} from "./deleteAccount.js"
