import {
  type Database,
  SqlAccessLogStore,
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlConsentStore,
  SqlFixStore,
  SqlPlaceStore,
  SqlPurposeStore
} from "@place-access/adapters-pg"
import { FastCheck as fc, Layer } from "effect"
import { it } from "vitest"
import { liveSubmissions, submissionLives } from "../../../domain/test/support/submissionLife.js"
import { withStores } from "./contracts.js"

const stores = Layer.mergeAll(
  SqlAccessLogStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlConsentStore.layer,
  SqlFixStore.layer,
  SqlPlaceStore.layer,
  SqlPurposeStore.layer
)

/**
 * Runs some of the random scenarios of an app's submissions on a database. They are the scenarios that the domain's
 * tests run on stores in memory.
 */
export const submissionLivesOn = (database: Layer.Layer<Database>, numRuns: number): void => {
  const run = withStores(database, stores)

  it("users meet what a reviewer approved, what was approved comes back, and an ended secret opens nothing", () =>
    fc.assert(
      fc.asyncProperty(submissionLives, (steps) => run(liveSubmissions(steps, new Set()))),
      { numRuns }
    ))
}
