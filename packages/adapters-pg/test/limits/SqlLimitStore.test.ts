import { SqlLimitStore } from "@place-access/adapters-pg"
import { limitStoreContract } from "@place-access/domain/testing"
import { runContract } from "../support/contracts.js"

runContract("SqlLimitStore", limitStoreContract, SqlLimitStore.layer)
