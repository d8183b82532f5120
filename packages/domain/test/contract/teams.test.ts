import {
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryAuditLog,
  MemoryDatabase,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryMailOutbox,
  MemoryRetentionStore,
  MemoryStaffStore,
  MemoryTeamStore,
  teamStoreContract
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const stores = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryAuditLog.layer,
  MemoryEndpointStore.layer,
  MemoryMailOutbox.layer,
  MemoryRetentionStore.layer,
  MemoryStaffStore.layer,
  MemoryTeamStore.layer,
  MemoryEntropy.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryTeamStore", teamStoreContract, stores)
