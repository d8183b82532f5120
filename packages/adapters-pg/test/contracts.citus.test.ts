import { describe } from "vitest"
import { migratedCitus, runCases } from "./support/contracts.js"
import { contractTable } from "./support/contractTable.js"
import { citus } from "./support/postgres.js"

/** What a store promises it promises on a cluster as well, whose nodes have a part of the rows each. */
describe.skipIf(!citus.isThere)("contracts, on Citus", () => {
  for (const { name, server, stores } of contractTable) {
    describe(name, () => runCases(server, migratedCitus, stores))
  }
})
