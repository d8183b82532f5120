/** Dwell rules that silence may fire (decision rules-14): the seconds. The due time is that of a crossing that waits. */
export const statements = [`ALTER TABLE rules ADD COLUMN silence_s integer`]
