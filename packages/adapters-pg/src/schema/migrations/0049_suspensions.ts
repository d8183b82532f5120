/** Suspended accounts, which nobody can use. */
export const statements = [
  `ALTER TABLE accounts ADD COLUMN suspended_at timestamptz(3)`,
  // A copy of `accounts.suspended_at` of the app's holder (`owner_id`): the checks of tokens and deliveries read the
  // app's row in any case.
  `ALTER TABLE apps ADD COLUMN suspended_at timestamptz(3)`
]
