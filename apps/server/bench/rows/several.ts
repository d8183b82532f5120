import type { Bench } from "../harness/Bench.js"
import * as People from "../harness/People.js"
import { load } from "../harness/load.js"
import { median } from "../harness/rounds.js"
import type { Comparison, Row, Sample } from "../harness/Row.js"
import * as Webhooks from "../harness/Webhooks.js"
import * as Deliveries from "./deliveries.js"

const PEOPLE = 1_000
const CLIENTS = 32
const SECONDS = 2
const EVENTS = 3_000

/** Reported, not asked for: on a machine whose cores are all busy with one, a second one has nothing to run on. */
export const several: Row = {
  name: "several",
  path: "two servers on one database, beside one of them; two workers on one queue, beside one",
  seconds: 55,
  open: async (bench) => {
    const scratch = await bench.scratch()
    await People.seed(scratch, { count: PEOPLE, fixes: 20 })
    await scratch.settle()
    const [first, second] = [await bench.server(scratch), await bench.server(scratch)]
    const cores: Array<number> = []
    const loading = (servers: ReadonlyArray<typeof first>) => async (): Promise<Sample> => {
      const sample = await load(
        servers.map(({ running }) => running),
        {
          script: new URL("presence.load.ts", import.meta.url),
          options: { people: PEOPLE },
          ports: servers.map(({ port }) => port),
          clients: CLIENTS,
          seconds: SECONDS
        }
      )
      if (servers.length > 1) cores.push(((sample.cpuMicrosPerOp ?? 0) * sample.operations) / sample.seconds / 1e6)
      return sample
    }
    return [
      {
        label: "servers",
        product: loading([first, second]),
        baseline: loading([first]),
        goals: [],
        notes: () => [
          `The two servers together kept ${median(cores).toFixed(2)} cores busy; PostgreSQL and the load client share the machine with them.`
        ]
      },
      await workers(bench)
    ]
  }
}

/** Each number of workers has a queue of its own; the idle one asks once a second. */
const workers = async (bench: Bench): Promise<Comparison> => {
  const receiver = await Webhooks.receiver(bench)
  const [two, one] = [
    await Deliveries.withWorkers(bench, receiver, 2),
    await Deliveries.withWorkers(bench, receiver, 1)
  ]
  const cores: Array<number> = []
  return {
    label: "workers",
    product: async () => {
      const sample = await Deliveries.product(two.scratch, receiver, two.workers, EVENTS)()
      cores.push(((sample.cpuMicrosPerOp ?? 0) * sample.operations) / sample.seconds / 1e6)
      return sample
    },
    baseline: Deliveries.product(one.scratch, receiver, one.workers, EVENTS),
    goals: [],
    notes: () => [
      `The two workers together kept ${median(cores).toFixed(2)} cores busy; PostgreSQL and the receiver share the machine with them.`
    ]
  }
}
