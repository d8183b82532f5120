import {
  type Database,
  SqlAccountStore,
  SqlAppStore,
  SqlDeliveryStore,
  SqlEndpointStore
} from "@place-access/adapters-pg"
import { FastCheck as fc, Layer } from "effect"
import { it } from "vitest"
import { liveStrikes, strikeLives } from "../../../domain/test/support/strikeLife.js"
import { withStores } from "./contracts.js"

const stores = Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlEndpointStore.layer, SqlDeliveryStore.layer)

/**
 * Runs some of the random scenarios of endpoints on a database. They are the scenarios that the domain's tests run on
 * stores in memory.
 */
export const strikeLivesOn = (database: Layer.Layer<Database>, numRuns: number): void => {
  const run = withStores(database, stores)

  it("an endpoint's strikes, its end and what waits there are as a second writing of Spec §3.4 says", () =>
    fc.assert(
      fc.asyncProperty(strikeLives, (steps) => run(liveStrikes(steps, new Set()))),
      { numRuns }
    ))
}
