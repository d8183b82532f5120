import {
  accountDeletionStoreContract,
  erasureContract,
  historyStoreContract,
  MemoryAccessLogStore,
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryDeviceStore,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryEventStore,
  MemoryExportStore,
  MemoryFixHistory,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryImportStore,
  MemoryLimitStore,
  MemoryMailOutbox,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryStayStore,
  MemoryVisitStore,
  MemoryVault
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const memory = Layer.mergeAll(
  MemoryAccessLogStore.layer,
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryDeliveryStore.layer,
  MemoryDeviceStore.layer,
  MemoryEndpointStore.layer,
  MemoryEventStore.layer,
  MemoryExportStore.layer,
  MemoryFixHistory.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryImportStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryPlaceStore.layer,
  MemoryRuleStore.layer,
  MemoryStayStore.layer,
  MemoryVisitStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryHistoryStore", historyStoreContract, memory)
runContract("MemoryHistoryStore: deleted stretches", erasureContract, memory)
runContract("MemoryAccountDeletionStore", accountDeletionStoreContract, memory)
