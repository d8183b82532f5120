import { once } from "node:events"
import { join } from "node:path"
import type { Bench } from "./Bench.js"
import type { Order } from "./loop/Loop.js"
import * as Program from "./Program.js"
import type { Sample, Side } from "./Row.js"

const MAIN = join(import.meta.dirname, "loop/main.ts")

/**
 * Makes a side (the product or its baseline) of a row from a module `rows/<name>.loop.ts`. One process runs the side in
 * all rounds; it imports the built files of the domain, not the sources.
 */
export const loop = (bench: Bench, module: URL, side: string): Side => {
  const running = bench.keep(Program.source(side, MAIN, {}, [], "built"))
  return async () => {
    const order: Order = { module: module.href, side }
    running.child.send(order)
    const [sample] = (await Promise.race([once(running.child, "message"), running.untilEnd])) as [Sample]
    return sample
  }
}
