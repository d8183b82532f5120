/**
 * Quotas: the limits on what one account may own and do, in one table (`AccountLimits`). The limits on owned things are
 * enforced under a lock of the account, app or connection: by a store, or by a decision that the store calls. The room
 * `limits` counts actions within a window of time, and the room `mail` counts mails that name an app. The documentation
 * and the decision limits-9 show the table.
 *
 * @module
 */

export * as AccountLimits from "./AccountLimits.js"
