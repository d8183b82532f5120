import { SqlDeviceStore } from "@place-access/adapters-pg"
import { deviceStoreContract } from "@place-access/domain/testing"
import { runContract } from "../support/contracts.js"

runContract("SqlDeviceStore", deviceStoreContract, SqlDeviceStore.layer)
