import type { SqlClient } from "@effect/sql/SqlClient"

/**
 * Every change that may remove an admin takes this lock. When two admins leave at the same time, the second change sees
 * that the first admin is gone. A transaction takes this lock after the lock of the account's row.
 */
export const lockAdmins = (sql: SqlClient) => sql`SELECT pg_advisory_xact_lock(hashtextextended('an admin goes', 0))`
