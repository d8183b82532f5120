import { SqlAccountStore } from "@place-access/adapters-pg"
import { accountStoreContract } from "@place-access/domain/testing"
import { runContractPg } from "../support/contracts.js"

runContractPg("SqlAccountStore", accountStoreContract, SqlAccountStore.layer)
