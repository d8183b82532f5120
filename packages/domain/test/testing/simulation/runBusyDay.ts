import { Simulation } from "@place-access/domain/testing"
import { busyDay } from "./busyDay.js"

/** The program of another process: it prints the hash of the busy day with the given seed. */
const result = Simulation.runSync({ seed: Number(process.argv[2]), scheduling: "random" }, busyDay)
process.stdout.write(`${result.stopped ?? result.traceHash}\n`)
