import type { SqlClient } from "@effect/sql/SqlClient"

/**
 * Every change that may remove an admin takes this lock. When the last two admins leave at the same time, the second
 * change waits, sees that the first admin has left, and can be refused. A transaction takes this lock after the lock of
 * the account's row.
 */
export const lockAdmins = (sql: SqlClient) => sql`SELECT pg_advisory_xact_lock(hashtextextended('an admin goes', 0))`
