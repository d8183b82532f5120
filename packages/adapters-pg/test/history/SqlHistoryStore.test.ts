import { SqlAccessLogStore, SqlHistoryStore, SqlImportStore } from "@place-access/adapters-pg"
import { historyStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContract(
  "SqlHistoryStore",
  historyStoreContract,
  Layer.mergeAll(SqlHistoryStore.layer, SqlAccessLogStore.layer, SqlImportStore.layer, UploadStores)
)
