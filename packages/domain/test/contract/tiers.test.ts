import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryEventStore,
  MemoryStaffStore,
  MemoryTierStore,
  MemoryVault,
  tierStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryTierStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryEventStore.layer,
  MemoryStaffStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryTierStore", tierStoreContract, layer)
