/**
 * Whoever never chose how long history is kept keeps it for ever. Programs of the release before delete after 90 days
 * where there is no choice, and they go on running during an upgrade: so the choice is written down for them.
 */
export const statements = [
  `INSERT INTO history_choices (user_id, keep_days, chosen_at)
   SELECT user_id, NULL, created_at FROM accounts ON CONFLICT (user_id) DO NOTHING`
]
