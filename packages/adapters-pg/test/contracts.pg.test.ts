import { migratedPostgres, migratedStock } from "./support/contracts.js"
import { contractTable, runRows } from "./support/contractTable.js"
import { describePg } from "./support/postgres.js"

/** `STOCK=1`: `@effect/sql-pg`'s own client sends the statements, instead of ours (driver/README.md). */
const isStock = process.env["STOCK"] === "1"

describePg(`on a server${isStock ? ", through the stock client" : ""}`, () =>
  runRows(
    contractTable.map((row) => ({ ...row, cases: row.server })),
    isStock ? migratedStock : migratedPostgres
  )
)
