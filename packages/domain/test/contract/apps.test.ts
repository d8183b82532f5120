import {
  appStoreContract,
  MemoryAccessLogStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryPurposeStore,
  MemoryRetentionStore,
  MemoryTestPersonStore,
  MemoryVault,
  MemoryVolumeFlagStore,
  purposeStoreContract,
  volumeFlagStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryAccessLogStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryPurposeStore.layer,
  MemoryRetentionStore.layer,
  MemoryTestPersonStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer,
  MemoryVolumeFlagStore.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryAppStore", appStoreContract, layer)
runContract("MemoryPurposeStore", purposeStoreContract, layer)
runContract("MemoryVolumeFlagStore", volumeFlagStoreContract, layer)
