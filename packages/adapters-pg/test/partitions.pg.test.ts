import { Layer } from "effect"
import { runContractPg } from "./support/contracts.js"
import { partitionsContract, partitionsUnderLoad } from "./support/partitionsContract.js"

runContractPg("partitions, server", [...partitionsContract, ...partitionsUnderLoad], Layer.empty)
