import { Duration, Effect, Option } from "effect"
import { WorkSignal } from "../events/WorkSignal.js"
import type { WorkerLeases } from "../leases/index.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Alarm } from "./alarm.js"
import type { DueTimes } from "./dueTimes.js"
import { fanOut } from "./fanOut.js"
import type { FirstAttempts } from "./firstAttempts.js"
import type { Flights } from "./flights.js"
import type { LegacyFlights } from "./legacyFlights.js"
import { pauseAfter, remaining } from "./workerLoops.js"

/**
 * When a read of the outbox returned as many events as it asked for, a backlog waits. The worker then makes the next
 * read when few first attempts wait in line, or after this time at the latest. So a slow endpoint, whose attempts stay
 * in line, does not stop the reading of events for other endpoints.
 */
const READ_PAUSE_MILLIS = 100

export interface FanOutLoopOptions {
  /** How many events one turn reads at most. */
  readonly batch: number
  readonly slots: number
  readonly flights: Flights
  readonly legacyFlights: LegacyFlights
  readonly firsts: FirstAttempts
  readonly leases: WorkerLeases
  readonly dueTimes: DueTimes
  readonly toFanOut: Alarm
  readonly toDeliver: Alarm
  /** Called after each successful read of the outbox, even if no event waited. Not called when the read failed. */
  readonly onRead: () => void
}

/**
 * A turn of the fan-out loop: reads at most `batch` events of the buckets that this worker leases, and fans them out.
 * Then the turn waits for a signal. It does not wait when the read returned `batch` events, because more events may be
 * in the outbox. With a backlog, a turn may read nothing and only pause (`READ_PAUSE_MILLIS`).
 */
export const make = (options: FanOutLoopOptions) => {
  const { batch, dueTimes, firsts, flights, leases, legacyFlights, onRead, slots, toDeliver, toFanOut } = options
  /**
   * When the last read of the outbox began, if this read returned `batch` events: then more events may be in the
   * outbox. Otherwise undefined.
   */
  let fullReadAt: Timestamp.Timestamp | undefined
  return Effect.gen(function* () {
    const signal = yield* WorkSignal
    const startedAt = yield* Timestamp.now
    const buckets = yield* leases.look
    const pauseMillis =
      firsts.hasFewInLine() || fullReadAt === undefined ? 0 : remaining(fullReadAt, READ_PAUSE_MILLIS, startedAt)
    if (pauseMillis > 0) return yield* toFanOut.wait(Option.some(Duration.millis(pauseMillis)))
    yield* firsts.releaseStuck
    const { deliveries, legacy, offered, taken } = yield* fanOut(batch, buckets, toDeliver.ring, firsts)
    onRead()
    fullReadAt = taken === batch ? startedAt : undefined
    yield* Effect.forEach(legacy, legacyFlights.launch, { discard: true })
    if (taken === 0) {
      // No event of this worker's buckets was taken. So the signal that woke this loop may be about a new delivery,
      // which may be due earlier than the cached due time.
      dueTimes.forget()
      yield* toDeliver.ring
    }
    // Wakes other workers when this worker has too few free slots for the new deliveries, and wakes the servers that
    // send events to listeners when there are rows for listeners.
    if (deliveries > slots - flights.size() || offered > 0) yield* signal.raise
    if (taken === batch) return
    if (taken > 0) yield* pauseAfter(startedAt)
    yield* toFanOut.wait(Option.none())
  })
}
