/**
 * Quotas: the limits on what one account may own and do, in one table (`AccountLimits`). Stores enforce the limits on
 * owned things, under a lock of the owner. The room `limits` counts actions within a window of time. The documentation
 * and the decision limits-9 show the table.
 *
 * @module
 */

export * as AccountLimits from "./AccountLimits.js"
