/**
 * Some rules wait before they fire (decision rules-13). `settle_s`: how many seconds a rule waits. The other columns
 * store the crossing for which a rule waits now; a later fix may still contradict it.
 */
export const statements = [
  `ALTER TABLE rules ADD COLUMN settle_s integer`,
  `ALTER TABLE rule_states ADD COLUMN unsettled_at timestamptz, ADD COLUMN unsettled_until timestamptz,
    ADD COLUMN settle_due_at timestamptz`,
  // A worker looks for due rows every few seconds. Nearly no row has a due time, so the index is small.
  `CREATE INDEX rule_states_settling ON rule_states (settle_due_at) WHERE settle_due_at IS NOT NULL`
]
