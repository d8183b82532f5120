import {
  MemoryAccountStore,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryLimitStore,
  MemoryMailOutbox,
  MemoryPasswordHasher,
  MemoryVault
} from "@place-access/domain/testing"
import { Effect, FastCheck as fc, Layer } from "effect"
import { expect, it } from "vitest"
import { CREDENTIAL_MARKS, credentialLives, liveCredentials } from "../support/credentialLife.js"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { inVirtualTime } from "../support/webhooks.js"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryCredentialStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryPasswordHasher.layer
).pipe(Layer.provide(MemoryDatabase.layer), Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer)))

it("a link works once, for 30 minutes, and dies with the password; a new password ends the other sessions [accounts-9, accounts-10]", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(credentialLives, (steps) =>
      inVirtualTime(liveCredentials(steps, met, Effect.sleep).pipe(Effect.provide(stores)))
    ),
    300
  )
  expect([...met].sort()).toEqual(CREDENTIAL_MARKS)
})
