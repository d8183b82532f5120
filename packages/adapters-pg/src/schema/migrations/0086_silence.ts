/**
 * Dwell rules that silence may fire (decision rules-14): after how many seconds. The due time is in `settle_due_at`, as
 * for a crossing that waits.
 */
export const statements = [`ALTER TABLE rules ADD COLUMN silence_s integer`]
