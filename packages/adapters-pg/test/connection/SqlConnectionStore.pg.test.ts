import { SqlAccessLogStore, SqlAccountStore, SqlAppStore, SqlConnectionStore } from "@place-access/adapters-pg"
import { connectionStoreContract, connectionTokensContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"

const stores = Layer.mergeAll(
  SqlConnectionStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlAccessLogStore.layer
)

runContractPg("SqlConnectionStore: consent", connectionStoreContract, stores)
runContractPg("SqlConnectionStore: tokens", connectionTokensContract, stores)
