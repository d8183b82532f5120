/**
 * The last evaluations of a rule, which show why it fired or did not fire (`RecentColumn`). The column is in
 * `rule_states`, because every evaluation writes this row anyway.
 */
export const statements = [`ALTER TABLE rule_states ADD COLUMN recent text NOT NULL DEFAULT ''`]
