import {
  MemoryAccessLogStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryArchiveMaker,
  MemoryAuditLog,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEntropy,
  MemoryExportStore,
  MemoryFixHistory,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryMailOutbox,
  MemoryPlaceStore,
  MemoryPurposeStore,
  MemoryRuleStore,
  MemoryStayStore,
  MemoryTokenStore,
  MemoryVault,
  MemoryVisitStore,
  MemoryWorkSignal,
  VirtualTime
} from "@place-access/domain/testing"
import { Effect, Exit, Layer, Logger, LogLevel } from "effect"

/** The in-memory layers of all ports from which an archive is made. */
const stores = Layer.mergeAll(
  MemoryAccessLogStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryAuditLog.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryDeviceStore.layer,
  MemoryExportStore.layer,
  MemoryExportStore.layerSource,
  MemoryFixHistory.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryMailOutbox.layer,
  MemoryPlaceStore.layer,
  MemoryPurposeStore.layer,
  MemoryRuleStore.layer,
  MemoryStayStore.layer,
  MemoryTokenStore.layer,
  MemoryVisitStore.layer,
  MemoryWorkSignal.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.mergeAll(MemoryEntropy.layer, MemoryVault.layer, MemoryArchiveMaker.layer)),
  Layer.provideMerge(Logger.minimumLogLevel(LogLevel.None))
)

/** Runs a program on virtual time, with empty stores. */
export const inVirtualTime = <A, E>(program: Effect.Effect<A, E, ArchiveStores>): A =>
  Exit.getOrElse(VirtualTime.runVirtual(program.pipe(Effect.provide(stores))), (cause) => {
    throw new Error(String(cause))
  })

export type ArchiveStores = Layer.Layer.Success<typeof stores>
