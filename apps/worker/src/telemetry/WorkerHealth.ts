import type { WorkerLoop } from "@place-access/domain/dispatch"
import { VERSION } from "../version.js"

/**
 * Whether a worker works, as `GET /healthz` on the port of the metrics says (decision leases-4). The signs of work are
 * reads of the outbox and claims of deliveries: a worker makes both every few seconds, even when there is nothing to
 * do. A worker whose slots for deliveries are all in use claims nothing, and this counts as a claim. Claims fail while
 * the database cannot be reached. Reads alone would prove little: a worker that leases no buckets counts a read without
 * sending a statement. While the machine's clock is wrong, there are no reads and no claims.
 */

/** The longest age of the last read or claim of a worker that works: five times the longest pause of a loop. */
const PATIENCE_MILLIS = 10_000

export interface WorkerHealth {
  /** Notes that a loop of the worker has just read or claimed its work. */
  readonly noteRead: (loop: WorkerLoop) => void
  readonly answer: () => HealthAnswer
}

export interface HealthAnswer {
  readonly status: 200 | 503
  readonly body: Readonly<Record<string, string>>
}

/** How the message in a `HealthAnswer` names the work of each loop. */
const DONE: Record<WorkerLoop, string> = { "fan-out": "read the outbox", delivery: "claimed deliveries" }

const LOOPS = ["fan-out", "delivery"] as const

const WRONG_CLOCK = ": this machine's clock differs from the database's by more than 10 s"

/**
 * Makes the state of one worker. `now` returns the milliseconds of a monotonic clock. With the machine's clock, the
 * last read of a loop would look older than it is after somebody set that clock. `isClockRight`: whether the machine's
 * clock lets the worker work (`SharedClock`).
 */
export const make = (
  now: () => number = () => performance.now(),
  isClockRight: () => boolean = () => true
): WorkerHealth => {
  const doneAt = new Map<WorkerLoop, number>()
  const silent = (status: string, message: string): HealthAnswer => ({
    status: 503,
    body: { status, version: VERSION, message: `${message}${isClockRight() ? "" : WRONG_CLOCK}` }
  })
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
