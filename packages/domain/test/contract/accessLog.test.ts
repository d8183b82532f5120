import {
  accessLogStoreContract,
  MemoryAccessLogStore,
  MemoryDatabase,
  MemoryEntropy
} from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/runContract.js"

runContract(
  "MemoryAccessLogStore",
  accessLogStoreContract,
  Layer.merge(MemoryAccessLogStore.layer, MemoryEntropy.layer).pipe(Layer.provide(MemoryDatabase.layer))
)
