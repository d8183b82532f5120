import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryEventStore,
  MemoryTierStore,
  MemoryVault,
  tierStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryTierStore.layer,
  MemoryConnectionStore.layer,
  MemoryEventStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryTierStore", tierStoreContract, layer)
