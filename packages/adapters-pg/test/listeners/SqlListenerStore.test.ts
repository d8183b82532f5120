import { SqlAccountStore, SqlAppStore, SqlListenerStore } from "@place-access/adapters-pg"
import { listenerStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

runContract(
  "SqlListenerStore",
  listenerStoreContract,
  Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlListenerStore.layer)
)
