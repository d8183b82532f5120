/**
 * Stores the choice to keep history for ever for every account without a choice. Programs of the previous release run
 * on during an upgrade, and they would delete the history of an account without a choice after 90 days.
 */
export const statements = [
  `INSERT INTO history_choices (user_id, keep_days, chosen_at)
   SELECT user_id, NULL, created_at FROM accounts ON CONFLICT (user_id) DO NOTHING`
]
