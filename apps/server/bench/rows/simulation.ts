import * as Goal from "../harness/Goal.js"
import { loop } from "../harness/loop.js"
import type { Row } from "../harness/Row.js"

const LOOP = new URL("simulation.loop.ts", import.meta.url)

export const simulation: Row = {
  name: "simulation",
  path: "wake-ups of sleeping fibers on virtual time, beside Effect's TestClock",
  seconds: 15,
  open: async (bench) => [
    {
      product: loop(bench, LOOP, "product"),
      baseline: loop(bench, LOOP, "baseline"),
      goals: [Goal.throughputRatio(300)]
    }
  ]
}
