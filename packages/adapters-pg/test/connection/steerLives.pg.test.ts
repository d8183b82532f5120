import {
  SqlAccessLogStore,
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlConsentStore,
  SqlEventStore,
  SqlFixStore,
  SqlPlaceStore,
  SqlPurposeStore,
  SqlTierStore,
  SqlTokenStore
} from "@place-access/adapters-pg"
import { MemoryWorkSignal } from "@place-access/domain/testing"
import { FastCheck as fc, Layer, Logger, LogLevel } from "effect"
import { expect, it } from "vitest"
import { liveSteered, STEER_MARKS, steerLives, steerStories } from "../../../domain/test/support/steerLife.js"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccessLogStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlConsentStore.layer,
  SqlEventStore.layer,
  SqlFixStore.layer,
  SqlPlaceStore.layer,
  SqlPurposeStore.layer,
  SqlTierStore.layer,
  SqlTokenStore.layer,
  MemoryWorkSignal.layer,
  Logger.minimumLogLevel(LogLevel.None)
)

describeServers("steered connections against the second writing of the decisions", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("answer alike over every story and some generated lives [connection-4, connection-6, connection-7]", async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(steerLives, async (steps) => {
        await run(liveSteered(steps, seen))
      }),
      { numRuns: steerStories.length + server.share(8), examples: steerStories.map((story) => [[...story]]) }
    )
    expect([...seen].sort()).toEqual(STEER_MARKS)
  })
})
