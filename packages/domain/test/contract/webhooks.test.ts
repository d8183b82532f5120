import {
  deliveryStoreContract,
  endpointStoreContract,
  eventStoreContract,
  legacyStoreContract,
  listenerStoreContract,
  logRetentionContract,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryAuditLog,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryDeviceStore,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryEventStore,
  MemoryFixStore,
  MemoryLegacyStore,
  MemoryListenerStore,
  MemoryMailOutbox,
  MemoryPlaceStore,
  MemoryRetentionStore,
  MemoryRuleStore,
  MemoryStaffStore,
  MemoryVault,
  readingAhead,
  strikeWarningsContract
} from "@place-access/domain/testing"
import { Effect, Layer } from "effect"
import { runContract } from "../support/runContract.js"

const memory = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryPlaceStore.layer,
  MemoryRetentionStore.layer,
  MemoryDeviceStore.layer,
  MemoryRuleStore.layer,
  MemoryStaffStore.layer,
  MemoryFixStore.layer,
  MemoryLegacyStore.layer,
  MemoryListenerStore.layer,
  MemoryMailOutbox.layer,
  MemoryEventStore.layer,
  MemoryEndpointStore.layer,
  MemoryDeliveryStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryEndpointStore", endpointStoreContract, memory)
runContract("MemoryDeliveryStore", deliveryStoreContract, memory)
runContract("strike warnings, in memory", strikeWarningsContract, memory)
runContract("MemoryEventStore", [...eventStoreContract, ...readingAhead(Effect.succeed(true))], memory)
runContract("MemoryLegacyStore", legacyStoreContract, memory)
runContract("MemoryListenerStore", listenerStoreContract, memory)
runContract("MemoryRetentionStore, logs", logRetentionContract, memory)
