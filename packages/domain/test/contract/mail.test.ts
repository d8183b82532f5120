import {
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryMailOutbox,
  MemoryVault,
  mailOutboxContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryMailOutbox.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryMailOutbox", mailOutboxContract, layer)
