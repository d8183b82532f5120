import { SqlAccountStore, SqlAuditLog, SqlExportStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { FastCheck as fc, Layer } from "effect"
import { it } from "vitest"
import { exportLives, liveExports } from "../../../domain/test/support/exportLife.js"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAuditLog.layer, SqlExportStore.layer, SqlMailOutbox.layer)

describeServers("generated lives of an archive", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("one archive at a time and three a day; only its owner fetches it, whole, for seven days; one worker makes it", () =>
    fc.assert(
      fc.asyncProperty(exportLives, (steps) => run(liveExports(steps, new Set()))),
      { numRuns: server.share(40) }
    ))
})
