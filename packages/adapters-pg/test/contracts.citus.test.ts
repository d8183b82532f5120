import { describe } from "vitest"
import { migratedCitus, runCases } from "./support/contracts.js"
import { contractTable } from "./support/contractTable.js"
import { citus } from "./support/postgres.js"

/** What a store promises it promises on a cluster as well, whose nodes have a part of the rows each. */
for (const { name, server, stores } of contractTable) {
  describe.skipIf(!citus.isThere)(`${name}, Citus`, () => runCases(server, migratedCitus, stores))
}
