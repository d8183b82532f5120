import type { Bench } from "../harness/Bench.js"
import * as People from "../harness/People.js"
import { median } from "../harness/rounds.js"
import type { Comparison, Row, Side } from "../harness/Row.js"
import * as Webhooks from "../harness/Webhooks.js"
import { asking, FIXES, PEOPLE } from "./asking.js"
import * as Deliveries from "./deliveries.js"

const SECONDS = 2
const EVENTS = 3_000

/** Without goals: on a machine whose cores one program keeps busy, a second program has nothing to run on. */
export const several: Row = {
  name: "several",
  path: "two servers on one database, beside one of them; two workers on one queue, beside one",
  seconds: 55,
  open: async (bench) => {
    const scratch = await bench.scratch((empty) => People.seed(empty, { count: PEOPLE, fixes: FIXES }))
    const [first, second] = [await bench.server(scratch), await bench.server(scratch)]
    const both = coresOf(asking(bench, [first, second], SECONDS))
    return [
      {
        label: "servers",
        product: both.side,
        baseline: asking(bench, [first], SECONDS),
        goals: [],
        notes: () => [
          `The two servers together kept ${both.cores().toFixed(2)} cores busy; PostgreSQL and the load client share the machine with them.`
        ]
      },
      await workers(bench)
    ]
  }
}

/** Wraps a side and reports how many cores its processes kept busy. */
const coresOf = (side: Side): { readonly side: Side; readonly cores: () => number } => {
  const cores: Array<number> = []
  return {
    side: async () => {
      const sample = await side()
      cores.push(((sample.cpuMicrosPerOp ?? 0) * sample.operations) / sample.seconds / 1e6)
      return sample
    },
    cores: () => median(cores)
  }
}

/** Every count of workers gets a queue of its own. An idle worker polls once a second. */
const workers = async (bench: Bench): Promise<Comparison> => {
  const receiver = await Webhooks.receiver(bench)
  const [two, one] = [
    await Deliveries.withWorkers(bench, receiver, 2),
    await Deliveries.withWorkers(bench, receiver, 1)
  ]
  const both = coresOf(Deliveries.product(two.scratch, receiver, two.workers, EVENTS))
  return {
    label: "workers",
    product: both.side,
    baseline: Deliveries.product(one.scratch, receiver, one.workers, EVENTS),
    goals: [],
    notes: () => [
      `The two workers together kept ${both.cores().toFixed(2)} cores busy; PostgreSQL and the receiver share the machine with them.`
    ]
  }
}
