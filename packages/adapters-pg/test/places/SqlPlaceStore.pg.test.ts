import { SqlPlaceStore } from "@place-access/adapters-pg"
import { placeStoreContract } from "@place-access/domain/testing"
import { runContractPg } from "../support/contracts.js"

runContractPg("SqlPlaceStore", placeStoreContract, SqlPlaceStore.layer)
