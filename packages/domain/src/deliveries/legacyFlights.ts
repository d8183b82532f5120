import { Cause, type Duration, Effect, Fiber } from "effect"
import type { EndpointUrl } from "../endpoints/EndpointUrl.js"
import type { AppId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"
import { deliverLegacy } from "./deliverLegacy.js"
import type { LegacyDelivery, Next } from "./LegacyDelivery.js"

/** Legacy deliveries in this worker's memory, those under way and those that wait. */
const ROOM = 10_000
/**
 * Attempts under way at once. Of them those to one address, so that a silent receiver does not hold up the app's others, and those
 * for one app, so that many silent receivers of one app do not hold up other apps.
 */
const AT_ONCE = 256
const OF_ONE_APP = 64
const TO_ONE_ADDRESS = 4

/** The older schedule, held in the memory of this worker: what waits when it stops is lost (Spec §6.4.8). */
export const make = Effect.gen(function* () {
  const all = yield* Effect.makeSemaphore(AT_ONCE)
  const fibers = new Set<Fiber.RuntimeFiber<void>>()
  const [ofApp, toAddress] = [turnsBy<AppId>(OF_ONE_APP), turnsBy<EndpointUrl>(TO_ONE_ADDRESS)]

  /**
   * Runs `attempt` when it is its turn. Once begun it is finished, also when the worker stops. Who waits for its address takes no
   * room of its app, and who waits for its app takes none of the others.
   */
  const inTurn = <A, E, R>({ appId, receiver }: LegacyDelivery, attempt: Effect.Effect<A, E, R>) =>
    toAddress(receiver.url, ofApp(appId, all.withPermits(1)(toItsEnd(attempt))))

  const life = (delivery: LegacyDelivery) =>
    Effect.gen(function* () {
      let next: Next | undefined = { delivery, dueAt: delivery.createdAt }
      while (next !== undefined) {
        const { delivery: due, dueAt }: Next = next
        yield* Effect.sleep(Math.max(0, dueAt - (yield* Timestamp.now)))
        next = yield* inTurn(due, deliverLegacy(due))
      }
    }).pipe(
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logWarning("A legacy delivery was given up", cause)
      )
    )

  return {
    launch: (delivery: LegacyDelivery) =>
      Effect.gen(function* () {
        if (fibers.size >= ROOM) {
          return yield* Effect.logWarning(
            "Too many legacy deliveries wait: this one is lost",
            delivery.envelope.eventId
          )
        }
        const fiber = yield* Effect.forkDaemon(Effect.interruptible(life(delivery)))
        fibers.add(fiber)
        fiber.addObserver(() => fibers.delete(fiber))
      }),
    /** Forgets what waits, and returns when the attempts under way have ended, at the latest after `atMost`. */
    stop: (atMost: Duration.DurationInput) =>
      Effect.suspend(() => Effect.timeoutOption(Effect.interruptible(Fiber.interruptAll([...fibers])), atMost))
  }
})

/** At most `atOnce` at the same time for each key; the others wait in the order in which they came. */
const turnsBy = <K>(atOnce: number) => {
  const known = new Map<K, { readonly turns: Effect.Semaphore; waiting: number }>()
  return <A, E, R>(key: K, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const one = known.get(key) ?? { turns: Effect.unsafeMakeSemaphore(atOnce), waiting: 0 }
      known.set(key, one)
      one.waiting++
      return Effect.ensuring(
        one.turns.withPermits(1)(effect),
        Effect.sync(() => {
          one.waiting--
          if (one.waiting === 0) known.delete(key)
        })
      )
    })
}

/** Whoever waits for it waits to the end; its own time limits, which interrupt, still work inside. */
const toItsEnd = <A, E, R>(attempt: Effect.Effect<A, E, R>) =>
  Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(Effect.interruptible(attempt)), Fiber.join))
