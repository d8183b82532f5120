import { SqlWorkSignal } from "@place-access/adapters-pg"
import { runContract } from "./support/contracts.js"
import { workSignalContract } from "./support/workSignalContract.js"

runContract("WorkSignal, embedded", workSignalContract, SqlWorkSignal.layer)
