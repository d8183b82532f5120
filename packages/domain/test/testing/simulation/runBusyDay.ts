import { Simulation } from "@place-access/domain/testing"
import { busyDay } from "./busyDay.js"

/** A test runs this file in another process. The file prints the hash of the busy day's run with the given seed. */
const result = Simulation.runSync({ seed: Number(process.argv[2]), scheduling: "random" }, busyDay)
process.stdout.write(`${result.stopped ?? result.traceHash}\n`)
