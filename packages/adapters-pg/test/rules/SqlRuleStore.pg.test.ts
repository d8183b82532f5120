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
import { runContractPg } from "../support/contracts.js"

runContractPg(
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
