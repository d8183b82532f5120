import {
  accountStoreContract,
  auditLogContract,
  credentialStoreContract,
  factorStoreContract,
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryAuditLog,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryFactorStore,
  MemoryMailOutbox,
  MemoryRetentionStore,
  MemoryStaffStore,
  MemoryTeamStore,
  MemoryTestPersonStore,
  MemoryVault,
  staffStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const stores = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryAuditLog.layer,
  MemoryStaffStore.layer,
  MemoryCredentialStore.layer,
  MemoryFactorStore.layer,
  MemoryMailOutbox.layer,
  MemoryRetentionStore.layer,
  MemoryTeamStore.layer,
  MemoryTestPersonStore.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryAccountStore", accountStoreContract, stores)
runContract("MemoryAuditLog", auditLogContract, stores)
runContract("MemoryCredentialStore", credentialStoreContract, stores)
runContract("MemoryStaffStore", staffStoreContract, stores)
runContract("MemoryFactorStore", factorStoreContract, stores)
