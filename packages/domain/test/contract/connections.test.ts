import {
  connectionStoreContract,
  connectionTokensContract,
  MemoryAccessLogStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryVault
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryConnectionStore.layer,
  MemoryAccountStore.layer,
  MemoryAccessLogStore.layer,
  MemoryAppStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryConnectionStore: consent", connectionStoreContract, layer)
runContract("MemoryConnectionStore: tokens", connectionTokensContract, layer)
