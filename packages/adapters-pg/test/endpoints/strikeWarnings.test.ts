import {
  SqlAccountStore,
  SqlAppStore,
  SqlDeliveryStore,
  SqlEndpointStore,
  SqlMailOutbox
} from "@place-access/adapters-pg"
import { strikeWarningsContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

runContract(
  "strike warnings",
  strikeWarningsContract,
  Layer.mergeAll(
    SqlAccountStore.layer,
    SqlAppStore.layer,
    SqlEndpointStore.layer,
    SqlDeliveryStore.layer,
    SqlMailOutbox.layer
  )
)
