import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlIdempotencyStore,
  SqlLimitStore,
  SqlRetentionStore
} from "@place-access/adapters-pg"
import { retentionStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"

const stores = Layer.mergeAll(
  SqlRetentionStore.layer,
  SqlLimitStore.layer,
  SqlIdempotencyStore.layer,
  SqlConnectionStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer
)

runContractPg("SqlRetentionStore", retentionStoreContract, stores)
