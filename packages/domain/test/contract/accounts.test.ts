import {
  accountStoreContract,
  credentialStoreContract,
  MemoryAccountStore,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryMailOutbox,
  MemoryVault
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryCredentialStore.layer,
  MemoryMailOutbox.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryAccountStore", accountStoreContract, stores)
runContract("MemoryCredentialStore", credentialStoreContract, stores)
