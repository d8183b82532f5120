import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryEventStore,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryVault,
  MemoryWorkSignal
} from "@place-access/domain/testing"
import { Layer } from "effect"

/** Every port from a user's place to the outbox, in memory. */
export const UploadStores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryDeviceStore.layer,
  MemoryEndpointStore.layer,
  MemoryEventStore.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryPlaceStore.layer,
  MemoryRuleStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer,
  MemoryWorkSignal.layer
).pipe(Layer.provideMerge(MemoryDatabase.layer))
