import { Cause, Duration, Effect, Option, Queue, Schedule } from "effect"
import * as Timestamp from "../shared/Timestamp.js"
import { type ClaimedDelivery, DeliveryStore } from "../deliveries/DeliveryStore.js"
import { claimDue, deliver } from "../deliveries/deliver.js"
import { fanOut } from "./fanOut.js"
import * as firstAttempts from "./firstAttempts.js"
import * as flights from "./flights.js"
import * as legacyFlights from "./legacyFlights.js"
import { holdLeases } from "../leases/holdLeases.js"
import type { WorkerLeases } from "../leases/index.js"
import { WorkSignal } from "../events/WorkSignal.js"

export interface WorkerOptions {
  /** How many events one fan-out reads at most. */
  readonly fanOutBatch: number
  /** How many deliveries this worker may have in flight at once. */
  readonly slots: number
  /**
   * How many deliveries to one endpoint all workers together may have in flight at once: half of this number for
   * claimed deliveries, the other half for first attempts.
   */
  readonly perEndpoint: number
  /** How many deliveries to legacy receivers, in flight and waiting, this worker keeps in memory at most. */
  readonly legacyRoom: number
  /** After this time without a signal, a worker looks for work nevertheless, in case a signal was lost. */
  readonly pollEvery: Duration.DurationInput
  /** How long a stopping worker waits for receivers' answers: slightly longer than an attempt's deadline. */
  readonly drainFor: Duration.DurationInput
  /**
   * Called each time the worker has read the outbox or has claimed deliveries, also when it found nothing. Not called
   * when that failed.
   */
  readonly onRead: (loop: WorkerLoop) => void
}

/** A loop of the worker: `fan-out` reads the outbox, and `delivery` claims deliveries. */
export type WorkerLoop = "fan-out" | "delivery"

const DEFAULTS: WorkerOptions = {
  fanOutBatch: 200,
  slots: 256,
  perEndpoint: 8,
  legacyRoom: 10_000,
  pollEvery: "1 second",
  drainFor: "8 seconds",
  onRead: () => undefined
}

/**
 * The longest pause of the fan-out loop and of the delivery loop after a turn of the loop that found work. On a busy
 * service each webhook waits half of this pause twice: once at fan-out, once at the claim. With a shorter pause the
 * worker sends more statements; with a longer pause the webhooks have more latency.
 */
const PAUSE_MAX_MILLIS = 10

/**
 * When a claim returned as many deliveries as it asked for, a backlog waits. The worker then makes the next claim when
 * half of its slots are free, or after this time. With a claim as soon as one slot becomes free, the deliveries would
 * synchronise: all would wait for the database at the same time, and then all for their receivers.
 */
const BACKLOG_PAUSE_MILLIS = 50

/**
 * When a read of the outbox returned `fanOutBatch` events, a backlog waits. The worker then makes the next read when
 * few first attempts wait in line, or after this time at the latest. So a slow endpoint, whose attempts stay in line,
 * does not stop the reading of events for other endpoints.
 */
const READ_PAUSE_MILLIS = 100

/** The pause after a claim that skipped an endpoint because another transaction, usually a claim, had locked it. */
const SKIPPED_PAUSE = Duration.millis(20)

/** The milliseconds that remain of a pause that began at `since`. When the clock was set back, the pause is over. */
const remaining = (since: Timestamp.Timestamp, pauseMillis: number, now: Timestamp.Timestamp): number =>
  now < since ? 0 : since + pauseMillis - now

/**
 * The pause after a turn of a loop that found work: as long as that turn took, up to `PAUSE_MAX_MILLIS`. The next turn
 * handles all events that arrive in the pause together, and it costs nearly the same for one event as for ten.
 */
const pause = (startedAt: Timestamp.Timestamp) =>
  Effect.flatMap(Timestamp.now, (now) =>
    now > startedAt ? Effect.sleep(Math.min(now - startedAt, PAUSE_MAX_MILLIS)) : Effect.void
  )

/** The waits of a loop after failures: 200 ms, doubled up to 10 s. Starts again after a minute without a failure. */
const backOff = Schedule.exponential("200 millis").pipe(
  Schedule.union(Schedule.spaced("10 seconds")),
  Schedule.resetAfter("1 minute")
)

/**
 * The worker's loop: fans out events and delivers webhooks until it is interrupted. Any number of workers share one
 * database. Each worker fans out the events of the buckets that it leases, and makes the first attempts of these events
 * itself as long as it has room for them (`firstAttempts`). All other attempts begin with a claim, which any worker can
 * make. `given` are the leases that the worker's other loops use too. This loop renews the leases (`look`) and gives
 * them up at its end (`leave`).
 *
 * A worker wakes up at `WorkSignal`, at the next due time, and at least every `pollEvery`. A signal nearly always means
 * a new event, so it wakes the fan-out loop first. The fan-out wakes the delivery loop when it has stored rows or found
 * no event: an earlier claim would not find the rows. No failure ends the worker: after a failure of the store it waits
 * and tries again, and a failed attempt is stored with its delivery. Legacy deliveries wait in this worker's memory.
 * When interrupted, the worker claims nothing more and waits for the attempts in flight.
 */
export const runWorker = (options: Partial<WorkerOptions> = {}, given?: WorkerLeases) =>
  Effect.gen(function* () {
    const { drainFor, fanOutBatch, legacyRoom, onRead, perEndpoint, pollEvery, slots } = { ...DEFAULTS, ...options }
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
    const legacyInFlight = yield* legacyFlights.make(legacyRoom)
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
      // The fan-out normally wakes the delivery loop, but it may fail or hang. This check then wakes the delivery loop.
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
      onRead("fan-out")
      fullReadAt = taken === fanOutBatch ? startedAt : undefined
      yield* Effect.forEach(legacy, legacyInFlight.launch, { discard: true })
      if (taken === 0) {
        // The outbox was empty, so the signal may be about a new delivery that is due earlier than the cached due time.
        dueTimes.forget()
        yield* toDeliver.ring
      }
      // Wakes other workers when this worker has too few free slots, and the servers that send events to listeners.
      if (deliveries > slots - inFlight.size() || offered > 0) yield* signal.raise
      if (taken === fanOutBatch) return
      if (taken > 0) yield* pause(startedAt)
      yield* toFanOut.wait(Option.none())
    })

    const deliverStep = Effect.gen(function* () {
      const free = slots - inFlight.size()
      if (free <= 0) {
        // The loop runs: it waits for the answer of a receiver.
        onRead("delivery")
        return yield* toDeliver.wait(Option.none())
      }
      const pauseMillis =
        free < half && filledAt !== undefined ? remaining(filledAt, BACKLOG_PAUSE_MILLIS, yield* Timestamp.now) : 0
      if (pauseMillis > 0) return yield* toDeliver.wait(Option.some(Duration.millis(pauseMillis)))
      const limit = Math.min(free, half)
      const { claims, isSkipping, isUnfinished, now } = yield* Effect.uninterruptibleMask((restore) =>
        Effect.tap(restore(claimDue(limit, claimsPerEndpoint, inFlight.slow())), ({ claims, leaseUntil }) =>
          Effect.forEach(
            claims,
            (claim) =>
              inFlight.launch(claim.delivery.endpointId, attempt(claim, leaseUntil, inFlight, dueTimes.forget)),
            { discard: true }
          )
        )
      )
      lookedAt = now
      onRead("delivery")
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

/** Makes an attempt. Calls `onWait` and returns true when the delivery now waits for a retry. */
const attempt = (
  claim: ClaimedDelivery,
  leaseUntil: Parameters<typeof deliver>[1],
  { note }: flights.Flights,
  onWait: () => void
) =>
  deliver(claim, leaseUntil).pipe(
    Effect.map((stored) => {
      const waits = note(claim.delivery.endpointId, stored)
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
 * A cache of the earliest due time of all deliveries. Without the cache, a busy service would read the same time after
 * nearly every claim. `next` reads the store again when that time has come, after `forget`, and when the cached time is
 * `everyMillis` old. Callers call `forget` when there is a new retry or a new row.
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
