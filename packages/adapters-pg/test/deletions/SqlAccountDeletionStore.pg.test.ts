import { SqlAccountDeletionStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { accountDeletionStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContractPg(
  "SqlAccountDeletionStore",
  accountDeletionStoreContract,
  Layer.mergeAll(SqlAccountDeletionStore.layer, SqlMailOutbox.layer, UploadStores)
)
