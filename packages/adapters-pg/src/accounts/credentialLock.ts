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
 *
 * All sign-ins wait for this lock, and one person can make another transaction hold the row of the person's account for
 * seconds. So on a single server, a transaction that has this lock waits for each further lock for at most `BRIEFLY`
 * (decision accounts-25). On a cluster each writer locks whole tables, so waits are longer there without an attack.
 */
export const lockCredentials = (sql: SqlClient) => taken(sql, "pg_advisory_xact_lock")

export const shareCredentials = (sql: SqlClient) => taken(sql, "pg_advisory_xact_lock_shared")

const BRIEFLY = "300ms"

/** PostgreSQL computes the columns from left to right, so the wait for this lock itself still has the usual limit. */
const taken = (sql: SqlClient, lock: string) =>
  sql`SELECT ${sql.literal(lock)}(hashtextextended('credentials', 0)), set_config('lock_timeout',
        CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN current_setting('lock_timeout')
             ELSE ${sql.literal(`'${BRIEFLY}'`)} END, true)`
