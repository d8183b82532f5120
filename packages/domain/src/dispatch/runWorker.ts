import { Cause, Duration, Effect, Option, Queue, Schedule } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
import { type Claim, DeliveryStore } from "../deliveries/DeliveryStore.js"
import { claimDue, deliver } from "../deliveries/deliver.js"
import { fanOut } from "./fanOut.js"
import * as firstAttempts from "./firstAttempts.js"
import * as flights from "./flights.js"
import * as legacyFlights from "./legacyFlights.js"
import { holdLeases } from "../leases/holdLeases.js"
import type { WorkerLeases } from "../leases/index.js"
import { WorkSignal } from "../events/WorkSignal.js"

export interface WorkerOptions {
  /** Events in one fan-out. */
  readonly fanOutBatch: number
  /** Deliveries in flight at once in this worker. */
  readonly slots: number
  /** Deliveries of one endpoint in flight at once, over all workers: one half claimed, one half first attempts. */
  readonly perEndpoint: number
  /** How often a worker looks for work without a signal, in case a signal was lost. */
  readonly pollEvery: Duration.DurationInput
  /** How long a stopping worker waits for receivers' answers: slightly longer than an attempt's deadline. */
  readonly drainFor: Duration.DurationInput
}

const DEFAULTS: WorkerOptions = {
  fanOutBatch: 200,
  slots: 256,
  perEndpoint: 8,
  pollEvery: "1 second",
  drainFor: "8 seconds"
}

/**
 * The longest pause between two steps. On a busy service each webhook waits half of this pause twice: once at fan-out,
 * once at the claim. A shorter pause sends more statements, a longer one adds latency.
 */
const PAUSE_MAX_MILLIS = 10

/**
 * When a claim filled all free slots, a backlog waits. The next claim is made when half of the slots are free, or after
 * this time. With a claim for each free slot, deliveries would fall into step: all would wait for the database
 * together, and then all for their receivers.
 */
const BACKLOG_PAUSE_MILLIS = 50

/**
 * When a read of the outbox was full, a backlog waits. The next read is made when few first attempts wait in line, or
 * after this time: events of endpoints that are slow become rows then, and events behind them are read.
 */
const READ_PAUSE_MILLIS = 100

/** The pause before the next claim when somebody else had locked an endpoint: usually another worker that claims. */
const SKIPPED_PAUSE = Duration.millis(20)

/** What remains of a pause that began at `since`. A clock that was set back does not make it longer. */
const remaining = (since: Timestamp.Timestamp, pauseMillis: number, now: Timestamp.Timestamp): number =>
  now < since ? 0 : since + pauseMillis - now

/**
 * The pause after a step that found work: as long as the step took, up to the limit. Events that arrive in the pause
 * share the next step, which costs nearly the same for one event as for ten.
 */
const pause = (startedAt: Timestamp.Timestamp) =>
  Effect.flatMap(Timestamp.now, (now) =>
    now > startedAt ? Effect.sleep(Math.min(now - startedAt, PAUSE_MAX_MILLIS)) : Effect.void
  )

/** After a failure of the store: 200 ms, doubled up to 10 s. Starts again after a minute without failure. */
const backOff = Schedule.exponential("200 millis").pipe(
  Schedule.union(Schedule.spaced("10 seconds")),
  Schedule.resetAfter("1 minute")
)

/**
 * The worker's loop: fans out events and delivers webhooks until it is interrupted. Any number of workers share one
 * database: each fans out the events of the buckets that it leases. It makes their first attempts itself, as long as it
 * has room for them (`firstAttempts`); all other attempts are claimed. `given` are the leases that this loop shares
 * with the worker's other loops; it is the one that looks at them, and leaves them at its end.
 *
 * A worker wakes up at `WorkSignal`, at the next due time, and at least every `pollEvery`. A signal nearly always means
 * a new event, so it wakes the fan-out first. The fan-out then wakes the deliveries, also when it found no event, so
 * that nothing claims rows before they exist. No failure ends the worker: a failure of the store is logged and retried,
 * a failure of a delivery is stored with the delivery. Legacy deliveries wait in this worker's memory. When
 * interrupted, the worker claims nothing more and waits for the attempts in flight.
 */
export const runWorker = (options: Partial<WorkerOptions> = {}, given?: WorkerLeases) =>
  Effect.gen(function* () {
    const { fanOutBatch, slots, perEndpoint, pollEvery, drainFor } = { ...DEFAULTS, ...options }
    const signal = yield* WorkSignal
    const store = yield* DeliveryStore
    const [toFanOut, toDeliver] = [yield* alarm, yield* alarm]
    const pollMillis = Duration.toMillis(pollEvery)
    const dueTimes = makeDueTimes(store, pollMillis)
    const half = Math.ceil(slots / 2)
    const firstsPerEndpoint = Math.floor(perEndpoint / 2)
    const claimsPerEndpoint = perEndpoint - firstsPerEndpoint
    const room = { slots, enough: half, perEndpoint: claimsPerEndpoint, onChange: toDeliver.unsafeRing }
    const inFlight = flights.make(room)
    const legacyInFlight = yield* legacyFlights.make
    const leases = given ?? (yield* holdLeases())
    const firsts = yield* firstAttempts.make({
      flights: inFlight,
      leases: { crew: leases.crew, using: leases.people.using },
      perEndpoint: firstsPerEndpoint,
      enough: Math.floor(half / 2),
      onEnough: toFanOut.unsafeRing,
      onWait: () => {
        dueTimes.forget()
        toDeliver.unsafeRing()
      }
    })
    let lookedAt = yield* Timestamp.now
    let filledAt: Timestamp.Timestamp | undefined
    let fullReadAt: Timestamp.Timestamp | undefined

    const listen = Effect.gen(function* () {
      yield* signal.wait(Duration.decode(pollEvery))
      yield* toFanOut.ring
      // The outbox may fail or hang. Deliveries wait for it no longer than they would for a lost signal.
      if ((yield* Timestamp.now) - lookedAt > pollMillis) yield* toDeliver.ring
    })

    const fanOutStep = Effect.gen(function* () {
      const startedAt = yield* Timestamp.now
      const buckets = yield* leases.look
      const pauseMillis =
        firsts.hasEnough() || fullReadAt === undefined ? 0 : remaining(fullReadAt, READ_PAUSE_MILLIS, startedAt)
      if (pauseMillis > 0) return yield* toFanOut.wait(Option.some(Duration.millis(pauseMillis)))
      yield* firsts.releaseStuck
      const { deliveries, legacy, offered, taken } = yield* fanOut(fanOutBatch, buckets, toDeliver.ring, firsts)
      fullReadAt = taken === fanOutBatch ? startedAt : undefined
      yield* Effect.forEach(legacy, legacyInFlight.launch, { discard: true })
      if (taken === 0) {
        // There was no event, so the signal was about deliveries. Some of them may be due only a little later.
        dueTimes.forget()
        yield* toDeliver.ring
      }
      // Wakes other workers when this one has too few free slots, and the servers of listeners' streams.
      if (deliveries > slots - inFlight.size() || offered > 0) yield* signal.raise
      if (taken === fanOutBatch) return
      if (taken > 0) yield* pause(startedAt)
      yield* toFanOut.wait(Option.none())
    })

    const deliverStep = Effect.gen(function* () {
      const free = slots - inFlight.size()
      if (free <= 0) return yield* toDeliver.wait(Option.none())
      const pauseMillis =
        free < half && filledAt !== undefined ? remaining(filledAt, BACKLOG_PAUSE_MILLIS, yield* Timestamp.now) : 0
      if (pauseMillis > 0) return yield* toDeliver.wait(Option.some(Duration.millis(pauseMillis)))
      const limit = Math.min(free, half)
      const { claims, isSkipping, isUnfinished, now } = yield* Effect.uninterruptibleMask((restore) =>
        Effect.tap(restore(claimDue(limit, claimsPerEndpoint, inFlight.failing())), ({ claims, leaseUntil }) =>
          Effect.forEach(
            claims,
            (claim) =>
              inFlight.launch(claim.delivery.endpointId, attempt(claim, leaseUntil, inFlight, dueTimes.forget)),
            { discard: true }
          )
        )
      )
      lookedAt = now
      filledAt = claims.length === limit ? now : undefined
      if (filledAt !== undefined) return
      if (claims.length > 0) yield* pause(now)
      if (isUnfinished) return
      if (isSkipping) return yield* toDeliver.wait(Option.some(SKIPPED_PAUSE))
      const next = yield* dueTimes.next(now)
      return yield* toDeliver.wait(Option.map(next, (at) => Duration.millis(at - now)))
    })

    yield* Effect.all([Effect.forever(listen), forever("fan-out", fanOutStep), forever("delivery", deliverStep)], {
      concurrency: "unbounded",
      discard: true
    }).pipe(
      Effect.onExit(() =>
        Effect.all([firsts.close, leases.leave, inFlight.drain(drainFor), legacyInFlight.stop(drainFor)], {
          concurrency: "unbounded",
          discard: true
        })
      )
    )
    return yield* Effect.never
  })

/** Makes an attempt. True when a retry now has a due time to wait for; `onWait` runs before that. */
const attempt = (
  claim: Claim,
  leaseUntil: Parameters<typeof deliver>[1],
  { note }: flights.Flights,
  onWait: () => void
) =>
  deliver(claim, leaseUntil).pipe(
    Effect.map((how) => {
      const waits = note(claim.delivery.endpointId, how)
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
 * A cache of the next due time. It asks the store when that time has come, after `forget` (a new retry or new rows),
 * and once in `everyMillis`; on a busy service nearly every claim would read the same time.
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
        // A `forget` that happens during the read replaces `known`, so the result of this read is not kept.
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

const forever = <E, R>(what: string, step: Effect.Effect<void, E, R>) =>
  Effect.forever(step).pipe(
    Effect.tapErrorCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError(`The ${what} loop failed and goes on`, cause)
    ),
    Effect.catchAllDefect(Effect.fail),
    Effect.retry(backOff),
    Effect.orDie,
    Effect.asVoid
  )

/** A wake-up flag: setting it twice has the effect of setting it once. */
const alarm = Effect.map(Queue.sliding<void>(1), (queue) => ({
  ring: Effect.asVoid(Queue.offer(queue, undefined)),
  unsafeRing: () => void queue.unsafeOffer(undefined),
  wait: (atMost: Option.Option<Duration.Duration>) =>
    Option.match(atMost, {
      onNone: () => Queue.take(queue),
      onSome: (duration) => Effect.asVoid(Effect.timeoutOption(Queue.take(queue), duration))
    })
}))
