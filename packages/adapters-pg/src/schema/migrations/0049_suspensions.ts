/** Accounts that nobody can use for now. */
export const statements = [
  `ALTER TABLE accounts ADD COLUMN suspended_at timestamptz(3)`,
  // A copy from the account of the developer: the checks of tokens and deliveries read the app in any case.
  `ALTER TABLE apps ADD COLUMN suspended_at timestamptz(3)`
]
