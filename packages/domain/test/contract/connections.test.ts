import {
  connectionStoreContract,
  consentStoreContract,
  tokenStoreContract,
  MemoryAccessLogStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryPlaceStore,
  MemoryStaffStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryVault
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryPlaceStore.layer,
  MemoryStaffStore.layer,
  MemoryTokenStore.layer,
  MemoryAccountStore.layer,
  MemoryAccessLogStore.layer,
  MemoryAppStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryConnectionStore", connectionStoreContract, layer)
runContract("MemoryConsentStore", consentStoreContract, layer)
runContract("MemoryTokenStore", tokenStoreContract, layer)
