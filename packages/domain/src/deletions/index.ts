export * as AccountDeletion from "./AccountDeletion.js"
export { AccountDeletionStore, type Leftover } from "./AccountDeletionStore.js"
export { type Confirmation, deleteAccount, describeDeletion } from "./deleteAccount.js"
export { removeDeleted } from "./removeDeleted.js"
