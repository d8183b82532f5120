import {
  type Database,
  SqlAccountStore,
  SqlAuditLog,
  SqlCredentialStore,
  SqlLimitStore,
  SqlMailOutbox
} from "@place-access/adapters-pg"
import { MemoryPasswordHasher } from "@place-access/domain/testing"
import { FastCheck as fc, Layer } from "effect"
import { it } from "vitest"
import { credentialLives, liveCredentials } from "../../../domain/test/support/credentialLife.js"
import { liveAddresses } from "../../../domain/test/support/addressLife.js"
import { addressLives } from "../../../domain/test/support/addressSteps.js"
import { liveLockouts, lockoutLives } from "../../../domain/test/support/lockoutLife.js"
import { withStores } from "./contracts.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAuditLog.layer,
  SqlCredentialStore.layer,
  SqlLimitStore.layer,
  SqlMailOutbox.layer,
  MemoryPasswordHasher.layer
)

/**
 * Runs some of the random scenarios of an account on a database. They are the scenarios that the domain's tests run on
 * stores in memory.
 */
export const credentialLivesOn = (database: Layer.Layer<Database>, numRuns: number): void => {
  const run = withStores(database, stores)

  it("a link works once, for 30 minutes, and dies with the password; a new password ends the other sessions", () =>
    fc.assert(
      fc.asyncProperty(credentialLives, (steps) => run(liveCredentials(steps, new Set()))),
      { numRuns }
    ))

  it("an address is confirmed by its link, changed in its own account, and brought back for 7 days", () =>
    fc.assert(
      fc.asyncProperty(addressLives, (steps) => run(liveAddresses(steps, new Set()))),
      { numRuns: Math.ceil(numRuns / 4) }
    ))

  it("strangers shut out strangers, and a known browser nobody but itself", () =>
    fc.assert(
      fc.asyncProperty(lockoutLives, (steps) => run(liveLockouts(steps, new Set()))),
      { numRuns: Math.ceil(numRuns / 4) }
    ))
}
