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
import { runContract } from "../support/contracts.js"

const stores = Layer.mergeAll(
  SqlRetentionStore.layer,
  SqlLimitStore.layer,
  SqlIdempotencyStore.layer,
  SqlConnectionStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer
)

runContract("SqlRetentionStore", retentionStoreContract, stores)
