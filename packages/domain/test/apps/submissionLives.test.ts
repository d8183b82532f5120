import {
  MemoryAccessLogStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryFixStore,
  MemoryPlaceStore,
  MemoryPurposeStore,
  MemoryVault
} from "@place-access/domain/testing"
import { FastCheck as fc, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { holdsAnywhere } from "../support/holdsAnywhere.js"
import { liveSubmissions, SUBMISSION_MARKS, submissionLives } from "../support/submissionLife.js"
import { inVirtualTime } from "../support/webhooks.js"

const stores = Layer.mergeAll(
  MemoryAccessLogStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryFixStore.layer,
  MemoryPlaceStore.layer,
  MemoryPurposeStore.layer
).pipe(Layer.provide(MemoryDatabase.layer), Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer)))

it("users meet what a reviewer approved, what was approved comes back, and an ended secret opens nothing [M2, apps-9, apps-10]", () => {
  const met = new Set<string>()
  holdsAnywhere(
    fc.property(submissionLives, (steps) =>
      inVirtualTime(liveSubmissions(steps, met, Effect.sleep).pipe(Effect.provide(stores)))
    ),
    200
  )
  expect([...met].sort()).toEqual(SUBMISSION_MARKS)
})
