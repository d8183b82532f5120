import {
  figuresStoreContract,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryFiguresStore,
  MemoryImportStore,
  MemoryLeaseStore,
  MemoryMailOutbox,
  MemoryRetentionStore,
  MemoryServiceStore,
  MemoryTokenStore,
  MemoryVault,
  serviceStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryDeliveryStore.layer,
  MemoryEndpointStore.layer,
  MemoryFiguresStore.layer,
  MemoryImportStore.layer,
  MemoryLeaseStore.layer,
  MemoryMailOutbox.layer,
  MemoryRetentionStore.layer,
  MemoryServiceStore.layer,
  MemoryTokenStore.layer
).pipe(Layer.provideMerge(Layer.mergeAll(MemoryDatabase.layer, MemoryEntropy.layer, MemoryVault.layer)))

runContract("MemoryFiguresStore", figuresStoreContract, stores)
runContract("MemoryServiceStore", serviceStoreContract, stores)
