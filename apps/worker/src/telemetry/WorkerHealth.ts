import { VERSION } from "../version.js"

/**
 * Whether a worker works, as `GET /healthz` on the port of the metrics says (decision leases-4). The sign of work is a
 * read of the outbox: a worker reads it at least once a second, also when there is nothing to do, and no read succeeds
 * while the database is away or the machine's clock is wrong.
 */

/** Ten times the longest pause between two reads. */
const PATIENCE_MILLIS = 10_000

export interface WorkerHealth {
  /** Notes that the worker has read the outbox. */
  readonly noteRead: () => void
  readonly answer: () => HealthAnswer
}

export interface HealthAnswer {
  readonly status: 200 | 503
  readonly body: Readonly<Record<string, string>>
}

/** `now`: milliseconds of a clock that nobody sets; setting a clock would make a read look older than it is. */
export const make = (now: () => number = () => performance.now()): WorkerHealth => {
  let readAt: number | undefined
  return {
    noteRead: () => {
      readAt = now()
    },
    answer: () => {
      if (readAt === undefined) return silent("starting", "The worker has not read the outbox yet")
      const age = now() - readAt
      return age <= PATIENCE_MILLIS
        ? { status: 200, body: { status: "ok", version: VERSION } }
        : silent("stalled", `The worker last read the outbox ${Math.round(age / 1_000)} s ago`)
    }
  }
}

const silent = (status: string, message: string): HealthAnswer => ({
  status: 503,
  body: { status, version: VERSION, message }
})
