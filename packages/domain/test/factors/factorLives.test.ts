import {
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryAuthenticators,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryFactorStore,
  MemoryLimitStore,
  MemoryMailOutbox,
  MemoryPasswordHasher,
  MemoryVault
} from "@place-access/domain/testing"
import { Effect, FastCheck as fc, Layer } from "effect"
import { expect, it } from "vitest"
import { FACTOR_MARKS, factorLives, liveFactors } from "../support/factorLife.js"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { liveRemovals, REMOVAL_MARKS, removalLives } from "../support/removalLife.js"
import { inVirtualTime } from "../support/webhooks.js"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryAuthenticators.codes,
  MemoryAuthenticators.passkeys,
  MemoryCredentialStore.layer,
  MemoryFactorStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryPasswordHasher.layer
).pipe(Layer.provide(MemoryDatabase.layer), Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer)))

it("the password alone opens no session; codes and challenges count once; a proof is fresh for 15 minutes [factors-1, factors-3, factors-4, factors-5, factors-8, accounts-17]", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(factorLives, (steps) =>
      inVirtualTime(liveFactors(steps, met, Effect.sleep).pipe(Effect.provide(stores)))
    ),
    300
  )
  expect([...met].sort()).toEqual(FACTOR_MARKS)
})

it("a lost factor goes by two commands with 72 hours between; a use of it and its owner stop that, the mailbox does nothing [factors-7]", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(removalLives, (steps) =>
      inVirtualTime(liveRemovals(steps, met, Effect.sleep).pipe(Effect.provide(stores)))
    ),
    80
  )
  expect([...met].sort()).toEqual(REMOVAL_MARKS)
})
