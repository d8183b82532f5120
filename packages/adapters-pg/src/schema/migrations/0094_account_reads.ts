/**
 * Indexes of the accounts by age, for the list of accounts and the number of people, and of the few accounts of staff,
 * for the question whether another admin is left. Without them, each of these reads went through all accounts.
 */
export const statements = [
  `CREATE INDEX accounts_by_age ON accounts (created_at, user_id COLLATE "C")`,
  // Accounts of people who are no staff are not in the index, so a sign-up does not write to it.
  `CREATE INDEX accounts_staff ON accounts (user_id) WHERE roles && '{reviewer,admin}'`
]
