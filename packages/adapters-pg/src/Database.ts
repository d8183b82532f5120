import type { PgClient } from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { DedicatedConnection } from "./DedicatedConnection.js"

/** What both databases give, a server and the embedded one; the stores ask for no more. */
export type Database = SqlClient | PgClient | DedicatedConnection
