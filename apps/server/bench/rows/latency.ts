import { fileURLToPath } from "node:url"
import type { Bench } from "../harness/Bench.js"
import * as Goal from "../harness/Goal.js"
import { percentile } from "../harness/percentile.js"
import * as Phones from "../harness/Phones.js"
import type { Heard, Order } from "../harness/phonesAndReceiver.js"
import * as Program from "../harness/Program.js"
import type { Row, Sample } from "../harness/Row.js"
import * as Usage from "../harness/Usage.js"

const RATE = 100
const SECONDS = 5
const WARM_UP_SECONDS = 1
const PEOPLE = 200

/**
 * Measures the time from the answer to an upload until the webhook has arrived at each of two endpoints on this
 * machine. Phones send 100 uploads a second, evenly spread, and each upload fires one rule. The server and the worker
 * have no other work.
 */
export const latency: Row = {
  name: "latency",
  path: `upload answered → webhook arrived, ${RATE} uploads a second, 2 endpoints`,
  seconds: 35,
  open: async (bench) => {
    const phones = await startPhones(bench)
    const scratch = await bench.scratch((empty) =>
      Phones.seed(empty, (bench.rounds + 1) * PEOPLE, (n) => `http://127.0.0.1:${phones.port}/hooks/${n}`)
    )
    const server = await bench.server(scratch)
    const worker = await bench.worker(scratch)
    const processes = [server.running, worker]
    const cpu = () => processes.reduce((sum, { pid }) => sum + Usage.cpuMicros(pid), 0)
    let round = 0

    const product = async (): Promise<Sample> => {
      const before = cpu()
      const { latenciesMs, missing } = await phones.run({
        port: server.port,
        from: round++ * PEOPLE,
        people: PEOPLE,
        clients: 32,
        ratePerS: RATE,
        warmUpSeconds: WARM_UP_SECONDS,
        seconds: SECONDS
      })
      for (const one of processes) one.mustRun()
      if (missing > 0) throw new Error(`${missing} webhooks did not arrive`)
      const sorted = latenciesMs.toSorted((a, b) => a - b)
      return {
        operations: sorted.length,
        seconds: SECONDS,
        p50Ms: percentile(sorted, 0.5),
        p99Ms: percentile(sorted, 0.99),
        cpuMicrosPerOp: (cpu() - before) / (RATE * (SECONDS + WARM_UP_SECONDS) * Phones.ENDPOINTS),
        peakMB: null
      }
    }
    return [{ product, goals: [Goal.p50Ms(12), Goal.p99Ms(60)] }]
  }
}

const startPhones = async (bench: Bench) => {
  const running = bench.keep(
    Program.source("phones", fileURLToPath(new URL("../harness/phonesAndReceiver.ts", import.meta.url)))
  )
  const port = await Program.portOf(running)
  let ended: ((message: Heard) => void) | undefined
  running.child.on("message", (message: Heard) => ended?.(message))
  return {
    port,
    run: (order: Order) =>
      new Promise<Extract<Heard, { readonly _tag: "Ended" }>>((resolve, reject) => {
        ended = (message) => {
          if (message._tag === "Ended") resolve(message)
          else if (message._tag === "Failed") reject(new Error(message.reason))
        }
        running.untilEnd.catch(reject)
        running.child.send(order)
      })
  }
}
