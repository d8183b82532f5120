import { SqlAccountDeletionStore, SqlAccountStore, SqlAppStore, SqlPurposeStore } from "@place-access/adapters-pg"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { deletionCatalogue } from "../support/deletionCatalogue.js"

runContractPg(
  "deleting an account, server",
  deletionCatalogue,
  Layer.mergeAll(SqlAccountDeletionStore.layer, SqlAccountStore.layer, SqlAppStore.layer, SqlPurposeStore.layer)
)
