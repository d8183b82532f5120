import { Layer } from "effect"
import { catalogueContract } from "./support/catalogueContract.js"
import { runContract } from "./support/contracts.js"

runContract("schema, embedded", catalogueContract, Layer.empty)
