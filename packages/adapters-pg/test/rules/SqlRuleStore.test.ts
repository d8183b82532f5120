import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlDeviceStore,
  SqlPlaceStore,
  SqlRuleStore
} from "@place-access/adapters-pg"
import { ruleStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

runContract(
  "SqlRuleStore",
  ruleStoreContract,
  Layer.mergeAll(
    SqlRuleStore.layer,
    SqlPlaceStore.layer,
    SqlDeviceStore.layer,
    SqlConnectionStore.layer,
    SqlAppStore.layer,
    SqlAccountStore.layer
  )
)
