import { describe } from "vitest"
import { migratedPostgres, migratedStock } from "./support/contracts.js"
import { contractTable, runRows } from "./support/contractTable.js"
import { describePg, postgres } from "./support/postgres.js"

/** With `STOCK=1`, the client of `@effect/sql-pg` sends the statements instead of our driver (driver/README.md). */
const rows = contractTable.map((row) => ({ ...row, cases: row.server }))
const isStock = process.env["STOCK"] === "1"

const declare = isStock
  ? (suite: () => void) => describePg("stock", "contracts", suite)
  : (suite: () => void) => describe.skipIf(!postgres.isThere)("contracts, on PostgreSQL", suite)

declare(() => runRows(rows, isStock ? migratedStock : migratedPostgres))
