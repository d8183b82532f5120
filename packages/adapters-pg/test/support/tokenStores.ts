import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlConsentStore,
  SqlFixStore,
  SqlPurposeStore,
  SqlTokenStore
} from "@place-access/adapters-pg"
import { PlaceStore } from "@place-access/domain/places"
import { MemoryWorkSignal } from "@place-access/domain/testing"
import { Effect, Layer } from "effect"

/** The stores for a user without places who connects an app, and for the app, which exchanges and refreshes tokens. */
export const tokenStores = Layer.mergeAll(
  SqlConnectionStore.layer,
  SqlConsentStore.layer,
  SqlFixStore.layer,
  SqlTokenStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlPurposeStore.layer,
  Layer.mock(PlaceStore, { list: () => Effect.succeed([]) }),
  MemoryWorkSignal.layer
)
