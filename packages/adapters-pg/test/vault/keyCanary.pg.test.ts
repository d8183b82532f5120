import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { keyCanaryContract } from "../support/keyCanaryContract.js"

runContractPg("KeyCanary, PostgreSQL", keyCanaryContract, Layer.empty)
