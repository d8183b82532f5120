import type { SqlClient } from "@effect/sql/SqlClient"

/**
 * A transaction takes this lock before it changes a password, an e-mail address or second factors, before it stores or
 * uses a mailed link, before it stores or confirms a sign-up, before it encrypts the secret of a code app again
 * (`Reencryption`), and before staff change an account, for example its roles. (`AccountStore.addRoles`, which makes a
 * developer, does not take the lock.) On a cluster, a transaction also takes the lock before it deletes an account. A
 * transaction that opens a session shares the lock. On a cluster, a transaction that changes sessions, deletes those
 * beyond `Session.MOST`, or deletes expired sessions or links, shares it too.
 *
 * On a cluster, every node has a copy of `accounts`, `sessions`, `account_links` and `pending_accounts`. A write to
 * such a table locks the whole table, first shared and then exclusive, and also the table to which its foreign keys
 * lead. Without this lock, two people who replace a password at the same time would deadlock, and so would a new
 * password and a sign-in or sign-out. Transactions that share the lock do not wait for each other. So such a
 * transaction must not insert into a table and delete from it too (`swept`). The lock ends with the transaction.
 */
export const lockCredentials = (sql: SqlClient) => sql`SELECT pg_advisory_xact_lock(hashtextextended('credentials', 0))`

export const shareCredentials = (sql: SqlClient) =>
  sql`SELECT pg_advisory_xact_lock_shared(hashtextextended('credentials', 0))`
