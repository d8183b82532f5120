/** The notices that people chose to get by mail. */
export const statements = [
  // Null: the person chose no notices. Rows without a choice are not in the index, so the hourly sweep reads only
  // people with a choice.
  `ALTER TABLE accounts ADD COLUMN notices text[]`,
  `CREATE INDEX accounts_notified ON accounts (user_id COLLATE "C") WHERE notices IS NOT NULL`
]
