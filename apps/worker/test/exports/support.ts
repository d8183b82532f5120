import {
  SqlAccessLogStore,
  SqlAccountStore,
  SqlAppStore,
  SqlAuditLog,
  SqlConnectionStore,
  SqlConsentStore,
  SqlDeviceStore,
  SqlExportSource,
  SqlExportStore,
  SqlFixHistory,
  SqlFixStore,
  SqlHistoryStore,
  SqlImportStore,
  SqlMailOutbox,
  SqlPlaceStore,
  SqlPurposeStore,
  SqlRuleStore,
  SqlStayStore,
  SqlTokenStore,
  SqlVisitStore
} from "@place-access/adapters-pg"
import { ImportStore, startImport } from "@place-access/domain/imports"
import { everything } from "@place-access/domain/leases"
import type { UserId } from "@place-access/domain/shared"
import { MemoryWorkSignal, importNext } from "@place-access/domain/testing"
import { Archives, Imports } from "@place-access/worker"
import { Effect, Layer, Stream } from "effect"

const stores = Layer.mergeAll(
  SqlAccessLogStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlAuditLog.layer,
  SqlConnectionStore.layer,
  SqlConsentStore.layer,
  SqlDeviceStore.layer,
  SqlExportSource.layer,
  SqlExportStore.layer,
  SqlFixHistory.layer,
  SqlFixStore.layer,
  SqlHistoryStore.layer,
  SqlImportStore.layer,
  SqlMailOutbox.layer,
  SqlPlaceStore.layer,
  SqlPurposeStore.layer,
  SqlRuleStore.layer,
  SqlStayStore.layer,
  SqlTokenStore.layer,
  SqlVisitStore.layer,
  MemoryWorkSignal.layer
)

/** The ports of exports and imports, on SQL stores. */
export const ports = Layer.mergeAll(stores, Archives.layer, Imports.layer)

/** Imports the file, and returns the import when it has ended. */
export const brought = (userId: UserId, bytes: Uint8Array, name = "place-access.zip") =>
  Effect.gen(function* () {
    yield* startImport(userId, name, Stream.make(bytes))
    yield* importNext(everything.people)
    const [done] = (yield* (yield* ImportStore).list(userId, 1)).items
    return done
  })
