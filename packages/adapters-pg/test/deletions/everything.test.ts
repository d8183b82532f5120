import { SqlAccountDeletionStore, SqlAccountStore, SqlAppStore, SqlPurposeStore } from "@place-access/adapters-pg"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"
import { deletionCatalogue } from "../support/deletionCatalogue.js"

runContract(
  "deleting an account, embedded",
  deletionCatalogue,
  Layer.mergeAll(SqlAccountDeletionStore.layer, SqlAccountStore.layer, SqlAppStore.layer, SqlPurposeStore.layer)
)
