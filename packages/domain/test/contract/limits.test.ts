import { limitStoreContract, MemoryDatabase, MemoryEntropy, MemoryLimitStore } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.merge(MemoryLimitStore.layer, MemoryEntropy.layer).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryLimitStore", limitStoreContract, layer)
