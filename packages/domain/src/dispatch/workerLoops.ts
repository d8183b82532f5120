// What the worker's two loops share: how they go on after a failure, and how long they pause between two turns.
import { Cause, Effect, Schedule } from "effect"
import * as Timestamp from "../shared/Timestamp.js"

/** A loop of the worker: `fan-out` reads the outbox, and `delivery` claims deliveries. */
export type WorkerLoop = "fan-out" | "delivery"

/**
 * The longest pause of the fan-out loop and of the delivery loop after a turn of the loop that found work. On a busy
 * service each webhook waits half of this pause twice: once at fan-out, once at the claim. With a shorter pause the
 * worker sends more statements; with a longer pause the webhooks have more latency.
 */
const PAUSE_MAX_MILLIS = 10

/**
 * The pause after a turn of a loop that found work: as long as that turn took, up to `PAUSE_MAX_MILLIS`. The next turn
 * handles all events that arrive in the pause together, and it costs nearly the same for one event as for ten.
 */
export const pauseAfter = (startedAt: Timestamp.Timestamp) =>
  Effect.flatMap(Timestamp.now, (now) =>
    now > startedAt ? Effect.sleep(Math.min(now - startedAt, PAUSE_MAX_MILLIS)) : Effect.void
  )

/** The milliseconds that remain of a pause that began at `since`. When the clock was set back, the pause is over. */
export const remaining = (since: Timestamp.Timestamp, pauseMillis: number, now: Timestamp.Timestamp): number =>
  now < since ? 0 : since + pauseMillis - now

/** The waits of a loop after failures: 200 ms, doubled up to 10 s. Starts again after a minute without a failure. */
const backOff = Schedule.exponential("200 millis").pipe(
  Schedule.union(Schedule.spaced("10 seconds")),
  Schedule.resetAfter("1 minute")
)

/** Repeats `turn` until the fiber is interrupted. After a failure or a defect, logs the cause, waits and goes on. */
export const runLoop = <E, R>(loop: WorkerLoop, turn: Effect.Effect<void, E, R>) =>
  Effect.forever(turn).pipe(
    Effect.tapErrorCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError(`The ${loop} loop failed and goes on`, cause)
    ),
    Effect.catchAllDefect(Effect.fail),
    Effect.retry(backOff),
    Effect.orDie,
    Effect.asVoid
  )
