import { SqlAccessLogStore } from "@place-access/adapters-pg"
import { accessLogStoreContract } from "@place-access/domain/testing"
import { runContractPg } from "../support/contracts.js"

runContractPg("SqlAccessLogStore", accessLogStoreContract, SqlAccessLogStore.layer)
