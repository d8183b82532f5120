import {
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryDatabase,
  MemoryEntropy,
  MemoryExportStore,
  MemoryMailOutbox,
  MemoryVault
} from "@place-access/domain/testing"
import { Effect, FastCheck as fc, Layer } from "effect"
import { expect, it } from "vitest"
import { EXPORT_MARKS, exportLives, liveExports } from "../support/exportLife.js"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { inVirtualTime } from "../support/webhooks.js"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryExportStore.layer,
  MemoryMailOutbox.layer
).pipe(Layer.provide(MemoryDatabase.layer), Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer)))

it("one archive at a time and three a day; only its owner fetches it, whole, for seven days; one worker makes it [exports-1, exports-2, exports-3]", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(exportLives, (steps) =>
      inVirtualTime(liveExports(steps, met, Effect.sleep).pipe(Effect.provide(stores)))
    ),
    120,
    3
  )
  expect([...met].sort()).toEqual(EXPORT_MARKS)
})
