import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlDeviceStore,
  SqlEventStore,
  SqlFixStore,
  SqlPlaceStore,
  SqlRuleStore
} from "@place-access/adapters-pg"
import { eventStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"

runContractPg(
  "SqlEventStore",
  eventStoreContract,
  Layer.mergeAll(
    SqlAccountStore.layer,
    SqlAppStore.layer,
    SqlConnectionStore.layer,
    SqlPlaceStore.layer,
    SqlDeviceStore.layer,
    SqlRuleStore.layer,
    SqlFixStore.layer,
    SqlEventStore.layer
  )
)
