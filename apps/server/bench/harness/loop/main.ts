import type { Sample } from "../Row.js"
import * as Usage from "../Usage.js"
import type { Order, Sides } from "./Loop.js"

/**
 * The length of a round in milliseconds. In a shorter round, V8 would spend most of the time on compilation and garbage
 * collection.
 */
const ROUND_MILLIS = 500

const run = async ({ module, side }: Order): Promise<Sample> => {
  const { default: sides } = (await import(module)) as { readonly default: Sides }
  const task = sides[side]
  if (task === undefined) throw new Error(`${module} has no side "${side}"`)
  const cpu = process.cpuUsage()
  const start = performance.now()
  let operations = 0
  do operations += await task()
  while (performance.now() - start < ROUND_MILLIS)
  const seconds = (performance.now() - start) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  return {
    operations,
    seconds,
    p50Ms: null,
    p99Ms: null,
    cpuMicrosPerOp: (user + system) / operations,
    peakMB: Usage.peakMB(process.pid)
  }
}

// A task that fails ends the process, with its reason on the error stream.
process.on("message", async (order: Order) => process.send?.(await run(order)))
