import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryAuditLog,
  MemoryDatabase,
  MemoryEntropy,
  MemoryPasswordHasher,
  MemoryStaffStore,
  MemoryVault
} from "@place-access/domain/testing"
import { FastCheck as fc, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { liveStaff, STAFF_MARKS, staffLives } from "../support/staffLife.js"
import { inVirtualTime } from "../support/webhooks.js"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryAuditLog.layer,
  MemoryPasswordHasher.layer,
  MemoryStaffStore.layer
).pipe(Layer.provide(MemoryDatabase.layer), Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer)))

it("an active admin is always left; a suspended account is paused; nobody decides about their own [staff-1, staff-2]", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(staffLives, (steps) =>
      inVirtualTime(liveStaff(steps, met, "example.com").pipe(Effect.provide(stores)))
    ),
    200,
    3
  )
  met.delete("")
  expect([...met].sort()).toEqual(STAFF_MARKS)
})
