import {
  accountStoreContract,
  MemoryAccountStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryVault
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

runContract(
  "MemoryAccountStore",
  accountStoreContract,
  Layer.mergeAll(MemoryAccountStore.layer, MemoryEntropy.layer, MemoryVault.layer).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
