import {
  archivePlaceContract,
  deviceStoreContract,
  fixHistoryContract,
  fixStoreContract,
  fixStoreRulesContract,
  FixSubjects,
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
  MemoryLimitStore,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryStaffStore,
  MemoryStayStore,
  MemoryVault,
  MemoryVisitStore,
  placeStoreContract,
  ruleStoreContract,
  stayStoreContract,
  visitStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryPlaceStore.layer,
  MemoryDeviceStore.layer,
  MemoryFixHistory.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryImportStore.layer,
  MemoryLimitStore.layer,
  MemoryRuleStore.layer,
  MemoryStaffStore.layer,
  MemoryStayStore.layer,
  MemoryVisitStore.layer,
  MemoryEventStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryPlaceStore", placeStoreContract, layer)
runContract("MemoryDeviceStore", deviceStoreContract, layer)
runContract("MemoryFixHistory", fixHistoryContract, layer)
runContract("MemoryFixStore", fixStoreContract, FixSubjects.layer.pipe(Layer.provideMerge(layer)))
runContract("MemoryFixStore, with rules", fixStoreRulesContract, layer)
runContract("MemoryRuleStore", ruleStoreContract, layer)
runContract("MemoryStayStore", stayStoreContract, layer)
runContract("MemoryVisitStore", visitStoreContract, layer)
runContract("MemoryConnectionStore: archiving a place", archivePlaceContract, layer)
