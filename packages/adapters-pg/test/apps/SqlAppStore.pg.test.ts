import { SqlAccountStore, SqlAppStore } from "@place-access/adapters-pg"
import { appStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"

runContractPg("SqlAppStore", appStoreContract, Layer.merge(SqlAccountStore.layer, SqlAppStore.layer))
