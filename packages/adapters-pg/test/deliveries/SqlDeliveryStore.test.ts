import { SqlAccountStore, SqlAppStore, SqlDeliveryStore, SqlEndpointStore } from "@place-access/adapters-pg"
import { deliveryStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

runContract(
  "SqlDeliveryStore",
  deliveryStoreContract,
  Layer.mergeAll(SqlAccountStore.layer, SqlAppStore.layer, SqlEndpointStore.layer, SqlDeliveryStore.layer)
)
