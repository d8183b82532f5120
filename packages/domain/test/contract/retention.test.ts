import {
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryCredentialStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryIdempotencyStore,
  MemoryLimitStore,
  MemoryRetentionStore,
  MemoryVault,
  retentionStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryRetentionStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryCredentialStore.layer,
  MemoryTokenStore.layer,
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryAppStore.layer,
  MemoryLimitStore.layer,
  MemoryIdempotencyStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryRetentionStore", retentionStoreContract, layer)
