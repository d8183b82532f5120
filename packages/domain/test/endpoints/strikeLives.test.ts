import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryEndpointStore,
  MemoryEntropy
} from "@place-access/domain/testing"
import { Effect, FastCheck as fc, Layer, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { holdsAnywhereAsync } from "../support/holdsAnywhere.js"
import { START } from "../support/runContract.js"
import { liveStrikes, STRIKE_MARKS, strikeLives } from "../support/strikeLife.js"

const LIVES = 100

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryEndpointStore.layer,
  MemoryDeliveryStore.layer,
  MemoryEntropy.layer
).pipe(Layer.provide(MemoryDatabase.layer))

it("an endpoint's strikes, its end and what waits there are as a second writing of Spec §3.4 says, over generated lives", async () => {
  const met = new Set<string>()
  await holdsAnywhereAsync(
    fc.asyncProperty(strikeLives, (steps) =>
      Effect.runPromise(
        TestClock.setTime(START).pipe(
          Effect.zipRight(liveStrikes(steps, met)),
          Effect.provide(stores),
          Effect.provide(TestContext.TestContext)
        )
      )
    ),
    LIVES
  )
  expect([...met].sort()).toEqual(STRIKE_MARKS)
})
