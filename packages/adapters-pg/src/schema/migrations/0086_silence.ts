/**
 * Dwell rules that fire although the phone is silent (decision rules-14). `silence_s`: after how many seconds of
 * silence the rule fires. The due time is in `settle_due_at`, as for a crossing that waits.
 */
export const statements = [`ALTER TABLE rules ADD COLUMN silence_s integer`]
