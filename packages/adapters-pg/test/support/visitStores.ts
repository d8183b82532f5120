import { SqlHistoryStore, SqlImportStore, SqlStayStore, SqlVisitStore } from "@place-access/adapters-pg"
import { MemoryWorkSignal } from "@place-access/domain/testing"
import { Layer } from "effect"
import { UploadStores } from "./uploadStores.js"

/** All stores that derive and list visits. */
export const VisitStores = Layer.mergeAll(
  SqlHistoryStore.layer,
  SqlImportStore.layer,
  SqlStayStore.layer,
  SqlVisitStore.layer,
  UploadStores,
  MemoryWorkSignal.layer
)
