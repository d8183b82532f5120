import {
  SqlAccessLogStore,
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlConsentStore,
  SqlTokenStore,
  SqlEventStore,
  SqlFixStore,
  SqlMailOutbox,
  SqlPlaceStore,
  SqlPurposeStore,
  SqlTierStore
} from "@place-access/adapters-pg"
import { MemoryWorkSignal } from "@place-access/domain/testing"
import { FastCheck as fc, Layer, Logger, LogLevel } from "effect"
import { expect, it } from "vitest"
import { command, MARKS, stories } from "../../../domain/test/support/connectionCommands.js"
import { live } from "../../../domain/test/support/connectionLife.js"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccessLogStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlConsentStore.layer,
  SqlTokenStore.layer,
  SqlEventStore.layer,
  SqlFixStore.layer,
  SqlMailOutbox.layer,
  SqlPlaceStore.layer,
  SqlPurposeStore.layer,
  SqlTierStore.layer,
  MemoryWorkSignal.layer,
  Logger.minimumLogLevel(LogLevel.None)
)

describeServers("connections against the second writing of the specification", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("answer alike over every story and some generated lives; refreshes and sweeps really at once", async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 25 }), async (commands) => {
        await run(live(commands, seen, "copies"))
      }),
      { numRuns: stories.length + server.share(25), examples: stories.map((story) => [[...story]]) }
    )
    expect([...seen].sort()).toEqual(MARKS)
  })
})
