/**
 * Two indexes of accounts. The index by age is for the list of accounts and the number of people. The index of the few
 * accounts of staff shows whether another admin is left. Without these indexes, each of these reads would go through
 * all accounts.
 */
export const statements = [
  `CREATE INDEX accounts_by_age ON accounts (created_at, user_id COLLATE "C")`,
  // Accounts of people who are no staff are not in the index, so a sign-up does not write to it.
  `CREATE INDEX accounts_staff ON accounts (user_id) WHERE roles && '{reviewer,admin}'`
]
