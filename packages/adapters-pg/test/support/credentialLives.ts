import {
  type Database,
  SqlAccountStore,
  SqlCredentialStore,
  SqlLimitStore,
  SqlMailOutbox
} from "@place-access/adapters-pg"
import { MemoryPasswordHasher } from "@place-access/domain/testing"
import { FastCheck as fc, Layer } from "effect"
import { it } from "vitest"
import { credentialLives, liveCredentials } from "../../../domain/test/support/credentialLife.js"
import { withStores } from "./contracts.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlCredentialStore.layer,
  SqlLimitStore.layer,
  SqlMailOutbox.layer,
  MemoryPasswordHasher.layer
)

/** Runs some of the random scenarios of an account in memory on a database. */
export const credentialLivesOn = (database: Layer.Layer<Database>, numRuns: number): void => {
  const run = withStores(database, stores)

  it("a link works once, for 30 minutes, and dies with the password; a new password ends the other sessions", () =>
    fc.assert(
      fc.asyncProperty(credentialLives, (steps) => run(liveCredentials(steps, new Set()))),
      { numRuns }
    ))
}
