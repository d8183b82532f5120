import type { SqlClient } from "@effect/sql/SqlClient"

/**
 * A transaction takes this lock before it changes the credentials, the second factors or the roles of a person, or
 * stores or confirms a sign-up. A transaction that only opens a session, or deletes expired sessions, shares the lock.
 * `accounts`, `sessions` and `account_links` are on every node of a cluster. There, a write locks the whole table,
 * first shared and then exclusive, and also the table that its foreign keys lead to. Without this lock, two people who
 * replace a password at once would deadlock, and so would a new password and a sign-in. The lock ends with the
 * transaction.
 */
export const lockCredentials = (sql: SqlClient) => sql`SELECT pg_advisory_xact_lock(hashtextextended('credentials', 0))`

export const shareCredentials = (sql: SqlClient) =>
  sql`SELECT pg_advisory_xact_lock_shared(hashtextextended('credentials', 0))`
