import type { PgClient } from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { DedicatedConnection } from "./driver/DedicatedConnection.js"

/**
 * The services of a database that the stores need. Both `layerPostgres` (a PostgreSQL server) and `layerEmbedded` (the
 * embedded database) provide them.
 */
export type Database = SqlClient | PgClient | DedicatedConnection
