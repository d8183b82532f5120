import type { SqlClient } from "@effect/sql/SqlClient"

/**
 * The lock that a transaction takes before it replaces a person's credentials or opens a session. `accounts`,
 * `sessions` and `account_links` are on every node of a cluster. There, a write locks the whole table, first shared and
 * then exclusive, and also the table that its foreign keys lead to. Without this lock, two people who replace a
 * password at once would deadlock, and so would a new password and a sign-in. Transactions that only open a session
 * share the lock. It ends with the transaction.
 */
export const lockCredentials = (sql: SqlClient) => sql`SELECT pg_advisory_xact_lock(hashtextextended('credentials', 0))`

export const shareCredentials = (sql: SqlClient) =>
  sql`SELECT pg_advisory_xact_lock_shared(hashtextextended('credentials', 0))`
