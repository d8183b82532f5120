import { SqlLimitStore } from "@place-access/adapters-pg"
import { limitStoreContract } from "@place-access/domain/testing"
import { runContractPg } from "../support/contracts.js"

runContractPg("SqlLimitStore", limitStoreContract, SqlLimitStore.layer)
