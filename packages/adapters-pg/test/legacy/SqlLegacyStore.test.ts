import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlDeviceStore,
  SqlEventStore,
  SqlLegacyStore,
  SqlFixStore,
  SqlPlaceStore,
  SqlRuleStore
} from "@place-access/adapters-pg"
import { legacyStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

runContract(
  "SqlLegacyStore",
  legacyStoreContract,
  Layer.mergeAll(
    SqlAccountStore.layer,
    SqlAppStore.layer,
    SqlConnectionStore.layer,
    SqlPlaceStore.layer,
    SqlDeviceStore.layer,
    SqlEventStore.layer,
    SqlRuleStore.layer,
    SqlFixStore.layer,
    SqlLegacyStore.layer
  )
)
