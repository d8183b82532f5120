import {
  type Database,
  SqlAccountStore,
  SqlAuditLog,
  SqlCredentialStore,
  SqlFactorStore,
  SqlLimitStore,
  SqlMailOutbox
} from "@place-access/adapters-pg"
import { MemoryAuthenticators, MemoryPasswordHasher } from "@place-access/domain/testing"
import { FastCheck as fc, Layer } from "effect"
import { it } from "vitest"
import { factorLives, liveFactors } from "../../../domain/test/support/factorLife.js"
import { liveRemovals, removalLives } from "../../../domain/test/support/removalLife.js"
import { withStores } from "./contracts.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAuditLog.layer,
  SqlCredentialStore.layer,
  SqlFactorStore.layer,
  SqlLimitStore.layer,
  SqlMailOutbox.layer,
  MemoryAuthenticators.codes,
  MemoryAuthenticators.passkeys,
  MemoryPasswordHasher.layer
)

/**
 * Runs some of the random scenarios of second factors on a database. They are the scenarios that the domain's tests run
 * on stores in memory.
 */
export const factorLivesOn = (database: Layer.Layer<Database>, numRuns: number): void => {
  const run = withStores(database, stores)

  it("the password alone opens no session; codes and challenges count once; a proof is fresh for 15 minutes", () =>
    fc.assert(
      fc.asyncProperty(factorLives, (steps) => run(liveFactors(steps, new Set()))),
      { numRuns }
    ))

  it("a lost factor goes by two commands with 72 hours between; the mailbox does nothing", () =>
    fc.assert(
      fc.asyncProperty(removalLives, (steps) => run(liveRemovals(steps, new Set()))),
      { numRuns: Math.ceil(numRuns / 3) }
    ))
}
