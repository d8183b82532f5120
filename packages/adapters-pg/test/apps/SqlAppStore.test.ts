import { SqlAccountStore, SqlAppStore } from "@place-access/adapters-pg"
import { appStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"

runContract("SqlAppStore", appStoreContract, Layer.merge(SqlAccountStore.layer, SqlAppStore.layer))
