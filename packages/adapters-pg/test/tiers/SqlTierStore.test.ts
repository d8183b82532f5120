import {
  SqlAccountStore,
  SqlAppStore,
  SqlConnectionStore,
  SqlEventStore,
  SqlTierStore
} from "@place-access/adapters-pg"
import { tierStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

const stores = Layer.mergeAll(
  SqlTierStore.layer,
  SqlConnectionStore.layer,
  SqlEventStore.layer,
  SqlAccountStore.layer,
  SqlAppStore.layer
)

runContract("SqlTierStore", tierStoreContract, stores)
