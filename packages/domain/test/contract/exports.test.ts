import {
  exportStoreContract,
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEntropy,
  MemoryExportStore,
  MemoryImportStore,
  MemoryMailOutbox,
  MemoryVault
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryDeviceStore.layer,
  MemoryExportStore.layer,
  MemoryExportStore.layerSource,
  MemoryImportStore.layer,
  MemoryMailOutbox.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryExportStore", exportStoreContract, layer)
