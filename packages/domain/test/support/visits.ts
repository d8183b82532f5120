import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEntropy,
  MemoryEventStore,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryPlaceStore,
  MemoryStayStore,
  MemoryVault,
  MemoryVisitStore,
  MemoryWorkSignal
} from "@place-access/domain/testing"
import { Layer } from "effect"

/** What visits are made and told with, in memory. */
export const VisitStores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryDeviceStore.layer,
  MemoryEventStore.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryPlaceStore.layer,
  MemoryStayStore.layer,
  MemoryVisitStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer,
  MemoryWorkSignal.layer
).pipe(Layer.provideMerge(MemoryDatabase.layer))
