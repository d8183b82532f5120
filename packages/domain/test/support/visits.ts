import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
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

/** The in-memory layers of all ports that make and read visits. */
export const VisitStores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
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
