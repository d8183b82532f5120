import {
  idempotencyStoreContract,
  MemoryDatabase,
  MemoryEntropy,
  MemoryIdempotencyStore
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

const layer = Layer.merge(MemoryIdempotencyStore.layer, MemoryEntropy.layer).pipe(Layer.provide(MemoryDatabase.layer))

runContract("MemoryIdempotencyStore", idempotencyStoreContract, layer)
