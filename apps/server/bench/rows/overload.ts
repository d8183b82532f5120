import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import { percentile } from "../harness/percentile.js"
import type { Row, Side } from "../harness/Row.js"
import { FIXES, PEOPLE } from "./asking.js"

/** Two numbers of clients: enough to keep the server busy, and far more than the server can serve. */
const [ENOUGH, TOO_MANY] = [32, 500]
const SECONDS = 3
const HEALTH_EVERY_MS = 50

/**
 * Compares a server under the load of 500 clients with the same server under the load of 32 clients. The server has a
 * pool of ten database connections. A client that gets a 503 waits for one second before its next request, as the
 * header `Retry-After` of the 503 says.
 */
export const overload: Row = {
  name: "overload",
  path: "presence for 500 clients with a pool of 10, beside 32 clients",
  seconds: 45,
  open: async (bench) => {
    const scratch = await bench.scratch((empty) => People.seed(empty, { count: PEOPLE, fixes: FIXES }))
    const server = await bench.server(scratch, { DATABASE_POOL: "10" })
    const refusedP99Ms: Array<number> = []
    const healthMs: Array<number> = []
    let refused = 0

    const health = async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        const from = performance.now()
        const answer = await fetch(`${server.url}/healthz`)
        if (!answer.ok) throw new Error(`/healthz answered ${answer.status}`)
        await answer.text()
        healthMs.push(performance.now() - from)
        await new Promise((resolve) => setTimeout(resolve, HEALTH_EVERY_MS))
      }
    }
    const side =
      (clients: number): Side =>
      async () => {
        let isOver = false
        const probing = clients === TOO_MANY ? health(() => isOver) : Promise.resolve()
        const sample = await bench.load([server.running], {
          script: new URL("presence.load.ts", import.meta.url),
          options: { people: PEOPLE },
          ports: [server.port],
          clients,
          seconds: SECONDS,
          mayBeRefused: true
        })
        isOver = true
        await probing
        if (sample.refused > 0) refusedP99Ms.push(sample.refusedP99Ms)
        refused += sample.refused
        return sample
      }
    return [
      {
        product: side(TOO_MANY),
        baseline: side(ENOUGH),
        goals: [Goal.throughputRatio(0.9)],
        warmUpRounds: 2,
        notes: () => [
          `refused: ${refused}, p99 of the slowest round ${Math.max(0, ...refusedP99Ms).toFixed(0)} ms (goal 250)`,
          `/healthz: p99 ${percentile(
            healthMs.toSorted((a, b) => a - b),
            0.99
          ).toFixed(0)} ms (goal 50)`
        ]
      }
    ]
  }
}
