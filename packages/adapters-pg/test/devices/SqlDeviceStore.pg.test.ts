import { SqlDeviceStore } from "@place-access/adapters-pg"
import { deviceStoreContract } from "@place-access/domain/testing"
import { runContractPg } from "../support/contracts.js"

runContractPg("SqlDeviceStore", deviceStoreContract, SqlDeviceStore.layer)
