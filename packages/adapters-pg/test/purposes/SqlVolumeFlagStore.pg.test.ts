import {
  SqlAccessLogStore,
  SqlAccountStore,
  SqlAppStore,
  SqlPurposeStore,
  SqlVolumeFlagStore
} from "@place-access/adapters-pg"
import { volumeFlagStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"

const stores = Layer.mergeAll(
  SqlAccessLogStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlPurposeStore.layer,
  SqlVolumeFlagStore.layer
)

runContractPg("SqlVolumeFlagStore", volumeFlagStoreContract, stores)
