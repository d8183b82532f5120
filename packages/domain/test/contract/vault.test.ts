import { MemoryVault, vaultContract } from "@place-access/domain/testing"
import { runContract } from "../support/runContract.js"

runContract("MemoryVault", vaultContract, MemoryVault.layer)
