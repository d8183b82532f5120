import { SqlAccountStore } from "@place-access/adapters-pg"
import { accountStoreContract } from "@place-access/domain/testing"
import { runContract } from "../support/contracts.js"

runContract("SqlAccountStore", accountStoreContract, SqlAccountStore.layer)
