import {
  MemoryAccountStore,
  MemoryAuditLog,
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
import { liveAddresses } from "../support/addressLife.js"
import { ADDRESS_MARKS, addressLives } from "../support/addressSteps.js"
import { CREDENTIAL_MARKS, credentialLives, liveCredentials } from "../support/credentialLife.js"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { liveLockouts, LOCKOUT_MARKS, lockoutLives } from "../support/lockoutLife.js"
import { inVirtualTime } from "../support/webhooks.js"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
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

it("an address is confirmed by its link, changed in its own account, and brought back for 7 days [accounts-12, accounts-13]", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(addressLives, (steps) =>
      inVirtualTime(liveAddresses(steps, met, Effect.sleep).pipe(Effect.provide(stores)))
    ),
    150,
    3
  )
  expect([...met].sort()).toEqual(ADDRESS_MARKS)
})

it("strangers shut out strangers, and a known browser nobody but itself [accounts-14, accounts-15, accounts-16]", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(lockoutLives, (steps) =>
      inVirtualTime(liveLockouts(steps, met, Effect.sleep).pipe(Effect.provide(stores)))
    ),
    150
  )
  expect([...met].sort()).toEqual(LOCKOUT_MARKS)
})
