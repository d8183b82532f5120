import { Cause, Duration, Effect, Option, Queue, Schedule } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
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

/** Every webhook of a busy service waits for half of it, twice. */
const REST_MILLIS = 10

/**
 * While more waits than a claim took, the next is made when half of the slots are free, or this long after it: claims of whatever has just
 * come free fall into step with each other, and then all deliveries wait for the database, and after that all for their receivers.
 */
const HOLD_MILLIS = 50

/** Not across a clock that was set back. */
const holdAfter = (filledAt: Timestamp.Timestamp, now: Timestamp.Timestamp): number =>
  now < filledAt ? 0 : filledAt + HOLD_MILLIS - now

/**
 * After a step that found something: as long as it took, at most so long. What comes meanwhile goes together in the next step, which
 * costs nearly the same for one as for ten.
 */
const rest = (startedAt: Timestamp.Timestamp) =>
  Effect.flatMap(Timestamp.now, (now) =>
    now > startedAt ? Effect.sleep(Math.min(now - startedAt, REST_MILLIS)) : Effect.void
  )

/** After the store failed: 200 ms, twice as long each time, at most 10 s; from the start after a quiet minute. */
const backOff = Schedule.exponential("200 millis").pipe(
  Schedule.union(Schedule.spaced("10 seconds")),
  Schedule.resetAfter("1 minute")
)

/**
 * Fans out and delivers until interrupted; any number of workers share one database. Woken by `WorkSignal`, by the next due
 * time and at least every `pollEvery`. A signal is for the outbox first: it is nearly always about an event, and what becomes of
 * it, or of a look that found none, wakes the deliveries. So nobody looks for rows that are not there yet. No failure ends it: the store's are logged and tried again later, a delivery's are
 * its own. Legacy deliveries live in this worker's memory. Interrupted, it claims nothing more and waits for what is under way.
 */
export const runWorker = (options: Partial<WorkerOptions> = {}) =>
  Effect.gen(function* () {
    const { fanOutBatch, slots, perEndpoint, pollEvery, drainFor } = { ...DEFAULTS, ...options }
    const signal = yield* WorkSignal
    const store = yield* DeliveryStore
    const [toFanOut, toDeliver] = [yield* alarm, yield* alarm]
    const pollMillis = Duration.toMillis(pollEvery)
    const dueTimes = makeDueTimes(store, pollMillis)
    const half = Math.ceil(slots / 2)
    const sky = flights.make({ slots, enough: half, perEndpoint, onChange: toDeliver.unsafeRing })
    const legacySky = yield* legacyFlights.make
    let lookedAt = yield* Timestamp.now
    let filledAt: Timestamp.Timestamp | undefined

    const listen = Effect.gen(function* () {
      yield* signal.wait(Duration.decode(pollEvery))
      yield* toFanOut.ring
      // The outbox may fail or hang: deliveries do not wait for it longer than for a lost signal.
      if ((yield* Timestamp.now) - lookedAt > pollMillis) yield* toDeliver.ring
    })

    const fanOutStep = Effect.gen(function* () {
      const startedAt = yield* Timestamp.now
      const { claimed, deliveries, legacy, offered } = yield* fanOut(fanOutBatch, toDeliver.ring)
      yield* Effect.forEach(legacy, legacySky.launch, { discard: true })
      if (claimed === 0) {
        // So the signal was about deliveries, some of which may be due a little later.
        dueTimes.forget()
        yield* toDeliver.ring
      }
      // Other workers are asked for help where this one is full; a listener's server waits for the signal.
      if (deliveries > slots - sky.size() || offered > 0) yield* signal.raise
      if (claimed === fanOutBatch) return
      if (claimed > 0) yield* rest(startedAt)
      yield* toFanOut.wait(Option.none())
    })

    const deliverStep = Effect.gen(function* () {
      const free = slots - sky.size()
      if (free <= 0) return yield* toDeliver.wait(Option.none())
      const holdMillis = free < half && filledAt !== undefined ? holdAfter(filledAt, yield* Timestamp.now) : 0
      if (holdMillis > 0) return yield* toDeliver.wait(Option.some(Duration.millis(holdMillis)))
      const room = Math.min(free, half)
      const { claims, isUnfinished, now } = yield* Effect.uninterruptibleMask((restore) =>
        Effect.tap(restore(claimDue(room, perEndpoint)), ({ claims, leaseUntil }) =>
          Effect.forEach(
            claims,
            (claim) => sky.launch(claim.delivery.endpointId, attempt(claim, leaseUntil, dueTimes.forget)),
            { discard: true }
          )
        )
      )
      lookedAt = now
      filledAt = claims.length === room ? now : undefined
      if (filledAt !== undefined) return
      if (claims.length > 0) yield* rest(now)
      if (isUnfinished) return
      const next = yield* dueTimes.next(now)
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

/** True when the delivery has a due time to wait for, which is said to `onWait` first. */
const attempt = (claim: Claim, leaseUntil: Parameters<typeof deliver>[1], onWait: () => void) =>
  deliver(claim, leaseUntil).pipe(
    Effect.map((how) => {
      const waits = how?._tag === "Retry" || how?._tag === "Postponed"
      if (waits) onWait()
      return waits
    }),
    Effect.catchAllCause((cause) =>
      Effect.as(
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : Effect.logWarning("A delivery is left to its lease", claim.delivery.id, cause),
        false
      )
    )
  )

/**
 * When something is due next. The store is asked again when that time has come, after `forget` (a delivery of this worker was given a
 * new one, or others queued some), and otherwise once in `everyMillis`: while much is going on nearly every claim finds the same.
 */
const makeDueTimes = (store: typeof DeliveryStore.Service, everyMillis: number) => {
  let known: { readonly next: Option.Option<Timestamp.Timestamp>; readonly until: number } | undefined
  return {
    forget: () => {
      known = undefined
    },
    next: (now: Timestamp.Timestamp) =>
      Effect.suspend(() => {
        if (known !== undefined && now < known.until) return Effect.succeed(known.next)
        // What is forgotten while the store answers stays forgotten.
        const asked = (known = { next: Option.none(), until: now })
        return Effect.tap(store.nextDueAt(now), (next) =>
          Effect.sync(() => {
            if (known !== asked) return
            known = {
              next,
              until: Math.min(
                now + everyMillis,
                Option.getOrElse(next, () => Infinity)
              )
            }
          })
        )
      })
  }
}

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
  unsafeRing: () => void queue.unsafeOffer(undefined),
  wait: (atMost: Option.Option<Duration.Duration>) =>
    Option.match(atMost, {
      onNone: () => Queue.take(queue),
      onSome: (duration) => Effect.asVoid(Effect.timeoutOption(Queue.take(queue), duration))
    })
}))
