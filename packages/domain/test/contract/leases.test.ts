import { leaseStoreContract, MemoryDatabase, MemoryEntropy, MemoryLeaseStore } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.merge(MemoryLeaseStore.layer, MemoryEntropy.layer).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryLeaseStore", leaseStoreContract, layer)
