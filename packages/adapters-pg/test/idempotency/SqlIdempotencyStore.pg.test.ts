import { SqlAccountStore, SqlIdempotencyStore, SqlPlaceStore } from "@place-access/adapters-pg"
import { idempotencyStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { oneTransactionContract } from "../support/oneTransactionContract.js"

const stores = Layer.mergeAll(SqlIdempotencyStore.layer, SqlPlaceStore.layer, SqlAccountStore.layer)

runContractPg("SqlIdempotencyStore", [...idempotencyStoreContract, ...oneTransactionContract], stores)
