import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
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

/** Everything between a user's place and the outbox, in memory. */
export const UploadStores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
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
