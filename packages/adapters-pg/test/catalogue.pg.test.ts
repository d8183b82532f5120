import { Layer } from "effect"
import { catalogueContract } from "./support/catalogueContract.js"
import { runContractPg } from "./support/contracts.js"

runContractPg("schema, server", catalogueContract, Layer.empty)
