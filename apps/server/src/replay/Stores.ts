import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEntropy,
  MemoryEventStore,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryStayStore,
  MemoryTokenStore,
  MemoryVault,
  MemoryVisitStore,
  MemoryWorkSignal
} from "@place-access/domain/testing"
import { Layer } from "effect"

/** The ports of a replay, in memory. Each replay begins with empty tables. */
export const layer = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryDeviceStore.layer,
  MemoryEntropy.layer,
  MemoryEventStore.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryPlaceStore.layer,
  MemoryRuleStore.layer,
  MemoryStayStore.layer,
  MemoryTokenStore.layer,
  MemoryVault.layer,
  MemoryVisitStore.layer,
  MemoryWorkSignal.layer
).pipe(Layer.provideMerge(MemoryDatabase.layer))
