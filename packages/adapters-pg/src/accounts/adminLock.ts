import type { SqlClient } from "@effect/sql/SqlClient"

/**
 * The lock of every change after which there may be one admin less. Two admins who go at the same time run one after
 * the other: the second sees that the first is gone. A transaction takes it after the lock of the account's row.
 */
export const lockAdmins = (sql: SqlClient) => sql`SELECT pg_advisory_xact_lock(hashtextextended('an admin goes', 0))`
