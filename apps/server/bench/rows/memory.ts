import type { Role } from "../harness/Program.js"
import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import type { Goal as OneGoal, Row } from "../harness/Row.js"
import * as Scratch from "../harness/Scratch.js"

const PEOPLE = 200
const CLIENTS = 16
const SECONDS = 3

/**
 * Measures the memory peak of a server on the embedded database. Also checks the memory peaks of the servers and
 * workers in the benchmarks that ran before.
 */
export const memory: Row = {
  name: "memory",
  path: "memory: everything in one process under questions and uploads; servers and workers in the rows above",
  seconds: 25,
  open: async (bench) => {
    const DATA_DIR = await bench.directory()
    await Scratch.embedded(DATA_DIR, (scratch) => People.seed(scratch, { count: PEOPLE }))
    const { port, running } = await bench.embedded({ DATA_DIR })

    const ofRows = (role: Role, most: number): OneGoal => ({
      says: `peak MB of a ${role} in any row ≤ ${most}`,
      value: () => {
        const peaks = bench.peaks().flatMap((peak) => (peak.role === role ? [peak.MB] : []))
        return peaks.length === 0 ? undefined : Math.max(...peaks)
      },
      isReached: (MB) => MB <= most
    })
    return [
      {
        label: "embedded, all in one",
        product: () =>
          bench.load([running], {
            script: new URL("memory.load.ts", import.meta.url),
            options: { people: PEOPLE },
            ports: [port],
            clients: CLIENTS,
            seconds: SECONDS
          }),
        goals: [Goal.peakMB("embedded server", 700), ofRows("server", 220), ofRows("worker", 180)]
      }
    ]
  }
}
