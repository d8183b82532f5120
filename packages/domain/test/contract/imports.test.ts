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
  MemoryFixHistory,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryImportStore,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryStayStore,
  MemoryVault,
  importStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryImportStore.layer,
  MemoryHistoryStore.layer,
  MemoryFixHistory.layer,
  MemoryFixStore.layer,
  MemoryDeviceStore.layer,
  MemoryEventStore.layer,
  MemoryRuleStore.layer,
  MemoryStayStore.layer,
  MemoryPlaceStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryImportStore", importStoreContract, layer)
