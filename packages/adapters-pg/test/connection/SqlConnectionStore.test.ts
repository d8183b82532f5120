import { SqlAccessLogStore, SqlAccountStore, SqlAppStore, SqlConnectionStore } from "@place-access/adapters-pg"
import { connectionStoreContract, connectionTokensContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

const stores = Layer.mergeAll(
  SqlConnectionStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlAccessLogStore.layer
)

runContract("SqlConnectionStore: consent", connectionStoreContract, stores)
runContract("SqlConnectionStore: tokens", connectionTokensContract, stores)
