import { describe } from "vitest"
import { migratedCitus, runCases } from "./support/contracts.js"
import { contractTable } from "./support/contractTable.js"
import { citus } from "./support/postgres.js"

/** Every store must also keep its contract on a cluster, where each node has a part of the rows. */
describe.skipIf(!citus.isThere)("contracts, on Citus", () => {
  for (const { name, server, stores } of contractTable) {
    describe(name, () => runCases(server, migratedCitus, stores))
  }
})
