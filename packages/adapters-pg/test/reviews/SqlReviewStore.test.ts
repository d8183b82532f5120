import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlPurposeStore,
  SqlReviewStore
} from "@place-access/adapters-pg"
import { leaksContract, reviewStoreContract, revokedAppsContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlConnectionStore.layer,
  SqlPurposeStore.layer,
  SqlReviewStore.layer
)

runContract("SqlReviewStore", reviewStoreContract, stores)
runContract("SqlReviewStore: leaks", leaksContract, stores)
runContract("SqlConnectionStore: revoked apps", revokedAppsContract, stores)
