/**
 * Why a rule fired or did not: its last evaluations, in the row that every evaluation writes anyway (`RecentColumn`).
 */
export const statements = [`ALTER TABLE rule_states ADD COLUMN recent text NOT NULL DEFAULT ''`]
