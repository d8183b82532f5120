import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { isDistributed } from "../schema/isDistributed.js"

/**
 * A transaction takes this lock before it
 * - changes a password, an e-mail address or second factors;
 * - stores or uses a mailed link;
 * - stores or confirms a sign-up;
 * - encrypts the secret of a code app again (`Reencryption`);
 * - changes an account for staff, for example its roles. (`AccountStore.addRoles`, which makes a developer, does not
 *   take the lock.)
 *
 * On a cluster, a transaction also takes the lock before it deletes an account. There, a transaction takes the lock in
 * shared mode before it opens or changes sessions, deletes those beyond `Session.MOST`, or deletes expired sessions or
 * links.
 *
 * On a cluster, every node has a copy of `accounts`, `sessions`, `account_links` and `pending_accounts`. A write to
 * such a table locks the whole table, first shared and then exclusive, and also the table to which its foreign keys
 * lead. Without this lock, two people who replace a password at the same time would deadlock, and so would a new
 * password and a sign-in or sign-out. Transactions with the shared lock do not wait for each other. So such a
 * transaction must not insert into a table and delete from it too (`swept`). The lock ends with the transaction.
 *
 * On a single server, the lock of the account's row is enough between changes of one account, and the lock of the
 * credentials keeps two accounts from taking one address. There, one person can keep the row of the person's own
 * account locked for seconds. If a transaction waited for this row while it has the lock of the credentials, the
 * changes of all other accounts would wait too. So a transaction with the lock of the credentials waits for each
 * further lock for at most `BRIEFLY` (decision accounts-25), and a transaction that changes an account locks the
 * account's row first (`lockingCredentials`). `BRIEFLY` does not apply on a cluster: there each writer locks whole
 * tables, so waits can be longer without an attack.
 */
export const lockCredentials = (sql: SqlClient) =>
  // PostgreSQL computes the columns from left to right. So the wait for this lock still has the usual limit; the limit
  // `BRIEFLY` (on a single server) is for later waits.
  sql`SELECT pg_advisory_xact_lock(hashtextextended('credentials', 0)), set_config('lock_timeout',
        CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN current_setting('lock_timeout')
             ELSE ${sql.literal(`'${BRIEFLY}'`)} END, true)`

const BRIEFLY = "300ms"

/**
 * Takes the lock of the credentials in shared mode: transactions in this mode do not wait for each other. Only a
 * cluster needs it.
 */
export const shareCredentials = (sql: SqlClient) =>
  sql`SELECT pg_advisory_xact_lock_shared(hashtextextended('credentials', 0))`

/**
 * Returns a function that runs `lockRows`, which locks an account's row and perhaps apps, and takes the lock of the
 * credentials. On a single server, the rows are locked first, so that nobody waits for the lock of the credentials
 * while this transaction waits for the rows. On a cluster, the lock of the credentials comes first.
 */
export const lockingCredentials = (sql: SqlClient) => {
  const onCluster = isDistributed(sql)
  return <A, E, R>(lockRows: Effect.Effect<A, E, R>) =>
    Effect.flatMap(onCluster, (isCluster) =>
      isCluster ? Effect.zipRight(lockCredentials(sql), lockRows) : Effect.zipLeft(lockRows, lockCredentials(sql))
    )
}
