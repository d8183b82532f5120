import type { WorkerLoop } from "@place-access/domain/dispatch"
import { VERSION } from "../version.js"

/**
 * Whether a worker works, as `GET /healthz` on the port of the metrics says (decision leases-4). The signs of work are
 * a read of the outbox and a claim of deliveries: a worker makes both every few seconds, also when there is nothing to
 * do. No claim succeeds while the database is away. A worker without a share of the outbox reads nothing and asks no
 * database, so its reads alone prove little. Neither goes on while the machine's clock is wrong.
 */

/** Five times the longest pause of a loop. */
const PATIENCE_MILLIS = 10_000

export interface WorkerHealth {
  /** Notes that a loop of the worker has done its work. */
  readonly noteRead: (loop: WorkerLoop) => void
  readonly answer: () => HealthAnswer
}

export interface HealthAnswer {
  readonly status: 200 | 503
  readonly body: Readonly<Record<string, string>>
}

/** What each loop does, in the messages. */
const DONE: Record<WorkerLoop, string> = { "fan-out": "read the outbox", delivery: "claimed deliveries" }

const LOOPS = ["fan-out", "delivery"] as const

/** `now`: milliseconds of a clock that nobody sets; setting a clock would make a read look older than it is. */
export const make = (now: () => number = () => performance.now()): WorkerHealth => {
  const doneAt = new Map<WorkerLoop, number>()
  return {
    noteRead: (loop) => void doneAt.set(loop, now()),
    answer: () => {
      for (const loop of LOOPS) {
        const at = doneAt.get(loop)
        if (at === undefined) return silent("starting", `The worker has not ${DONE[loop]} yet`)
        const age = now() - at
        if (age <= PATIENCE_MILLIS) continue
        return silent("stalled", `The worker last ${DONE[loop]} ${Math.round(age / 1_000)} s ago`)
      }
      return { status: 200, body: { status: "ok", version: VERSION } }
    }
  }
}

const silent = (status: string, message: string): HealthAnswer => ({
  status: 503,
  body: { status, version: VERSION, message }
})
