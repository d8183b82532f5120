import { Duration, Effect } from "effect"
import { DeliveryStore } from "../deliveries/DeliveryStore.js"
import { WorkSignal } from "../events/WorkSignal.js"
import { holdLeases } from "../leases/holdLeases.js"
import type { WorkerLeases } from "../leases/index.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as Alarm from "./alarm.js"
import * as deliveryLoop from "./deliveryLoop.js"
import * as DueTimes from "./dueTimes.js"
import * as fanOutLoop from "./fanOutLoop.js"
import * as firstAttempts from "./firstAttempts.js"
import * as flights from "./flights.js"
import * as legacyFlights from "./legacyFlights.js"
import { runLoop, type WorkerLoop } from "./workerLoops.js"

export interface WorkerOptions {
  /** How many events one fan-out reads at most. */
  readonly fanOutBatch: number
  /** How many deliveries to endpoints this worker may have in flight at once. */
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
   * Called each time the worker has read the outbox or has claimed deliveries, even if it found nothing. For the
   * delivery loop, also called when the loop claims nothing because all slots are in use. Not called when the read or
   * the claim failed.
   */
  readonly onRead: (loop: WorkerLoop) => void
}

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
 * When interrupted, the worker claims nothing more and waits for the attempts in flight, at most for `drainFor`.
 */
export const runWorker = (options: Partial<WorkerOptions> = {}, given?: WorkerLeases) =>
  Effect.gen(function* () {
    const { drainFor, fanOutBatch, legacyRoom, onRead, perEndpoint, pollEvery, slots } = { ...DEFAULTS, ...options }
    const signal = yield* WorkSignal
    const store = yield* DeliveryStore
    const [toFanOut, toDeliver] = [yield* Alarm.make, yield* Alarm.make]
    const pollMillis = Duration.toMillis(pollEvery)
    const dueTimes = DueTimes.make(store, pollMillis)
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
    let claimedAt = yield* Timestamp.now
    const fanOutTurn = fanOutLoop.make({
      batch: fanOutBatch,
      slots,
      flights: inFlight,
      legacyFlights: legacyInFlight,
      firsts,
      leases,
      dueTimes,
      toFanOut,
      toDeliver,
      onRead: () => onRead("fan-out")
    })
    const deliveryTurn = deliveryLoop.make({
      slots,
      batch: half,
      perEndpoint: claimsPerEndpoint,
      flights: inFlight,
      dueTimes,
      toDeliver,
      onClaim: (at) => {
        claimedAt = at
        onRead("delivery")
      },
      // All slots are in use. The loop claims nothing, but it is not stuck: it waits for answers of receivers.
      onFull: () => onRead("delivery")
    })
    const listen = Effect.gen(function* () {
      yield* signal.wait(Duration.decode(pollEvery))
      yield* toFanOut.ring
      // The fan-out normally wakes the delivery loop, but the fan-out may fail or hang. Then this line wakes the
      // delivery loop.
      if ((yield* Timestamp.now) - claimedAt > pollMillis) yield* toDeliver.ring
    })

    yield* Effect.all([Effect.forever(listen), runLoop("fan-out", fanOutTurn), runLoop("delivery", deliveryTurn)], {
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
