import { SqlAccountStore, SqlAppStore, SqlConnectionStore, SqlMailOutbox } from "@place-access/adapters-pg"
import { mailOutboxContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"

const stores = Layer.mergeAll(SqlMailOutbox.layer, SqlConnectionStore.layer, SqlAccountStore.layer, SqlAppStore.layer)

runContractPg("SqlMailOutbox", mailOutboxContract, stores)
