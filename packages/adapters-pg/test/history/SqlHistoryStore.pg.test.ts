import { SqlAccessLogStore, SqlHistoryStore, SqlImportStore } from "@place-access/adapters-pg"
import { historyStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContractPg(
  "SqlHistoryStore",
  historyStoreContract,
  Layer.mergeAll(SqlHistoryStore.layer, SqlAccessLogStore.layer, SqlImportStore.layer, UploadStores)
)
