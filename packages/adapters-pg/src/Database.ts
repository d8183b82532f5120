import type { PgClient } from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { DedicatedConnection } from "./driver/DedicatedConnection.js"

/**
 * The services that both a PostgreSQL server and the embedded database provide. The stores need no other service of a
 * database.
 */
export type Database = SqlClient | PgClient | DedicatedConnection
