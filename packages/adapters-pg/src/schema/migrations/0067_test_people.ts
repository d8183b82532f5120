/** Test people: accounts that belong to an app in the sandbox. */
export const statements = [
  // No foreign key: an app can be deleted before its test people, which a worker then removes.
  `ALTER TABLE accounts ADD COLUMN test_app_id text`,
  // Accounts of real people are not in the index.
  `CREATE INDEX accounts_test_people ON accounts (test_app_id) WHERE test_app_id IS NOT NULL`
]
