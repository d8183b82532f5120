import {
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEntropy,
  MemoryPlaceStore,
  MemoryReviewStore,
  MemoryRuleStore,
  MemoryServiceStore,
  MemoryStaffStore,
  MemoryTestPersonStore,
  MemoryTokenStore,
  MemoryVault,
  testPersonStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const stores = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryDeviceStore.layer,
  MemoryPlaceStore.layer,
  MemoryReviewStore.layer,
  MemoryRuleStore.layer,
  MemoryServiceStore.layer,
  MemoryStaffStore.layer,
  MemoryTestPersonStore.layer,
  MemoryTokenStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryTestPersonStore", testPersonStoreContract, stores)
