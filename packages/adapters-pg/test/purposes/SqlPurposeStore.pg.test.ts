import { SqlAccountStore, SqlAppStore, SqlPurposeStore } from "@place-access/adapters-pg"
import { purposeStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"

runContractPg(
  "SqlPurposeStore",
  purposeStoreContract,
  Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlPurposeStore.layer)
)
