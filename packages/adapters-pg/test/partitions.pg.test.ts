import { Layer } from "effect"
import { runContractPg } from "./support/contracts.js"
import {
  busyPartitions,
  expiredPartitions,
  partitionsContract,
  partitionsUnderLoad
} from "./support/partitionsContract.js"

runContractPg("partitions, server", [...partitionsContract, ...partitionsUnderLoad], Layer.empty)
runContractPg("expired partitions, server", [...expiredPartitions, ...busyPartitions], Layer.empty)
