import { Cause, Duration, Effect, Option, Queue, Schedule } from "effect"
import { type Claim, DeliveryStore } from "./DeliveryStore.js"
import { claimDue } from "./claimDue.js"
import { deliver } from "./deliver.js"
import { fanOut } from "./fanOut.js"
import * as flights from "./flights.js"
import * as legacyFlights from "./legacyFlights.js"
import { WorkSignal } from "./WorkSignal.js"

export interface WorkerOptions {
  /** Events turned into deliveries in one go. */
  readonly fanOutBatch: number
  /** Deliveries under way at once in this worker. */
  readonly slots: number
  /** Deliveries of one endpoint under way at once, in all workers. */
  readonly perEndpoint: number
  /** How long a signal that was lost goes unnoticed. */
  readonly pollEvery: Duration.DurationInput
  /** How long a worker that is told to stop waits for answers; a little more than a receiver may take. */
  readonly drainFor: Duration.DurationInput
}

const DEFAULTS: WorkerOptions = {
  fanOutBatch: 200,
  slots: 256,
  perEndpoint: 8,
  pollEvery: "1 second",
  drainFor: "8 seconds"
}

/** After the store failed: 200 ms, twice as long each time, at most 10 s; from the start after a quiet minute. */
const backOff = Schedule.exponential("200 millis").pipe(
  Schedule.union(Schedule.spaced("10 seconds")),
  Schedule.resetAfter("1 minute")
)

/**
 * Fans out and delivers until interrupted; any number of workers share one database. Woken by `WorkSignal`, by the next due
 * time and at least every `pollEvery`. No failure ends it: the store's are logged and tried again later, a delivery's are
 * its own. Legacy deliveries live in this worker's memory. Interrupted, it claims nothing more and waits for what is under way.
 */
export const runWorker = (options: Partial<WorkerOptions> = {}) =>
  Effect.gen(function* () {
    const { fanOutBatch, slots, perEndpoint, pollEvery, drainFor } = { ...DEFAULTS, ...options }
    const signal = yield* WorkSignal
    const store = yield* DeliveryStore
    const [toFanOut, toDeliver] = [yield* alarm, yield* alarm]
    const sky = flights.make({ slots, perEndpoint, onChange: toDeliver.ring })
    const legacySky = yield* legacyFlights.make

    const listen = Effect.zipRight(
      signal.wait(Duration.decode(pollEvery)),
      Effect.zipRight(toFanOut.ring, toDeliver.ring)
    )

    const fanOutStep = Effect.gen(function* () {
      const { claimed, deliveries, legacy, offered } = yield* fanOut(fanOutBatch)
      yield* Effect.forEach(legacy, legacySky.launch, { discard: true })
      if (deliveries > 0) yield* toDeliver.ring
      if (deliveries > 0 || offered > 0) yield* signal.raise
      if (claimed < fanOutBatch) yield* toFanOut.wait(Option.none())
    })

    const deliverStep = Effect.gen(function* () {
      const free = slots - sky.size()
      if (free <= 0) return yield* toDeliver.wait(Option.none())
      const { claims, isUnfinished, now } = yield* Effect.uninterruptibleMask((restore) =>
        Effect.tap(restore(claimDue(free, perEndpoint)), ({ claims, leaseUntil }) =>
          Effect.forEach(claims, (claim) => sky.launch(claim.delivery.endpointId, attempt(claim, leaseUntil)))
        )
      )
      if (claims.length === free || isUnfinished) return
      const next = yield* store.nextDueAt(now)
      return yield* toDeliver.wait(Option.map(next, (at) => Duration.millis(at - now)))
    })

    yield* Effect.all([Effect.forever(listen), forever("fan-out", fanOutStep), forever("delivery", deliverStep)], {
      concurrency: "unbounded",
      discard: true
    }).pipe(
      Effect.onExit(() =>
        Effect.all([sky.drain(drainFor), legacySky.stop(drainFor)], { concurrency: "unbounded", discard: true })
      )
    )
    return yield* Effect.never
  })

/** True when the delivery has a due time to wait for. */
const attempt = (claim: Claim, leaseUntil: Parameters<typeof deliver>[1]) =>
  deliver(claim, leaseUntil).pipe(
    Effect.map((how) => how?._tag === "Retry" || how?._tag === "Postponed"),
    Effect.catchAllCause((cause) =>
      Effect.as(
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : Effect.logWarning("A delivery is left to its lease", claim.delivery.id, cause),
        false
      )
    )
  )

const forever = <E, R>(what: string, step: Effect.Effect<void, E, R>): Effect.Effect<void, never, R> =>
  Effect.forever(step).pipe(
    Effect.tapErrorCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError(`The ${what} loop failed and goes on`, cause)
    ),
    Effect.catchAllDefect(Effect.fail),
    Effect.retry(backOff),
    Effect.orDie,
    Effect.asVoid
  )

/** Rings until somebody has waited; ringing twice is ringing once. */
const alarm = Effect.map(Queue.sliding<void>(1), (queue) => ({
  ring: Effect.asVoid(Queue.offer(queue, undefined)),
  wait: (atMost: Option.Option<Duration.Duration>) =>
    Option.match(atMost, {
      onNone: () => Queue.take(queue),
      onSome: (duration) => Effect.asVoid(Effect.timeoutOption(Queue.take(queue), duration))
    })
}))
