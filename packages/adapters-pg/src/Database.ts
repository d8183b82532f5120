import type { PgClient } from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { DedicatedConnection } from "./driver/DedicatedConnection.js"

/** The services that both databases provide: a PostgreSQL server and the embedded one. The stores need nothing else. */
export type Database = SqlClient | PgClient | DedicatedConnection
