import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlPurposeStore,
  SqlReviewStore
} from "@place-access/adapters-pg"
import { leaksContract, reviewStoreContract, revokedAppsContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlPurposeStore.layer,
  SqlReviewStore.layer
)

runContractPg("SqlReviewStore", reviewStoreContract, stores)
runContractPg("SqlReviewStore: leaks", leaksContract, stores)
runContractPg("SqlConnectionStore: revoked apps", revokedAppsContract, stores)
