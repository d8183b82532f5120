import {
  leaksContract,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryAuditLog,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryTokenStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryMailOutbox,
  MemoryPurposeStore,
  MemoryReviewStore,
  MemoryVault,
  reviewStoreContract,
  revokedAppsContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryPurposeStore.layer,
  MemoryReviewStore.layer,
  MemoryEntropy.layer,
  MemoryMailOutbox.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryReviewStore", reviewStoreContract, layer)
runContract("MemoryReviewStore: leaks", leaksContract, layer)
runContract("MemoryConnectionStore: revoked apps", revokedAppsContract, layer)
