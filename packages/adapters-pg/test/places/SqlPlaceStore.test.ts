import { SqlPlaceStore } from "@place-access/adapters-pg"
import { placeStoreContract } from "@place-access/domain/testing"
import { runContract } from "../support/contracts.js"

runContract("SqlPlaceStore", placeStoreContract, SqlPlaceStore.layer)
