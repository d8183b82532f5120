import * as People from "../harness/People.js"
import { load } from "../harness/load.js"
import { median } from "../harness/rounds.js"
import type { Row, Sample } from "../harness/Row.js"

const PEOPLE = 1_000
const CLIENTS = 32
const SECONDS = 2

/** Reported, not asked for: on a machine whose cores are all busy with one, a second one has nothing to run on. */
export const several: Row = {
  name: "several",
  path: "two servers on one database, beside one of them",
  seconds: 30,
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
        product: loading([first, second]),
        baseline: loading([first]),
        goals: [],
        notes: () => [
          `The two servers together kept ${median(cores).toFixed(2)} cores busy; PostgreSQL and the load client share the machine with them.`
        ]
      }
    ]
  }
}
