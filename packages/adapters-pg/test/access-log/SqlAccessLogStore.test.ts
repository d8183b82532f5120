import { SqlAccessLogStore } from "@place-access/adapters-pg"
import { accessLogStoreContract } from "@place-access/domain/testing"
import { runContract } from "../support/contracts.js"

runContract("SqlAccessLogStore", accessLogStoreContract, SqlAccessLogStore.layer)
