import { Cause, type Duration, Effect, Fiber } from "effect"
import type { AppId } from "../shared/Ids.js"
import * as Timestamp from "../shared/Timestamp.js"
import { deliverLegacy } from "./deliverLegacy.js"
import type { LegacyDelivery, Next } from "./LegacyDelivery.js"

/** Legacy deliveries in this worker's memory, those under way and those that wait. */
const ROOM = 10_000
/** Attempts under way at once, and of them those for one app, so that its silent receivers do not hold up the others. */
const AT_ONCE = 64
const OF_ONE_APP = 8

/** The older schedule, held in the memory of this worker: what waits when it stops is lost (Spec §6.4.8). */
export const make = Effect.gen(function* () {
  const all = yield* Effect.makeSemaphore(AT_ONCE)
  const fibers = new Set<Fiber.RuntimeFiber<void>>()
  const ofApp = new Map<AppId, { readonly turns: Effect.Semaphore; waiting: number }>()

  /** Runs `attempt` when it is its turn. Once begun it is finished, also when the worker stops. */
  const inTurn = <A, E, R>(appId: AppId, attempt: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const app = ofApp.get(appId) ?? { turns: Effect.unsafeMakeSemaphore(OF_ONE_APP), waiting: 0 }
      ofApp.set(appId, app)
      app.waiting++
      return app.turns
        .withPermits(1)(all.withPermits(1)(toItsEnd(attempt)))
        .pipe(
          Effect.ensuring(
            Effect.sync(() => {
              app.waiting--
              if (app.waiting === 0) ofApp.delete(appId)
            })
          )
        )
    })

  const life = (delivery: LegacyDelivery) =>
    Effect.gen(function* () {
      let next: Next | undefined = { delivery, dueAt: delivery.createdAt }
      while (next !== undefined) {
        const { delivery: due, dueAt }: Next = next
        yield* Effect.sleep(Math.max(0, dueAt - (yield* Timestamp.now)))
        next = yield* inTurn(due.appId, deliverLegacy(due))
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

/** Whoever waits for it waits to the end; its own time limits, which interrupt, still work inside. */
const toItsEnd = <A, E, R>(attempt: Effect.Effect<A, E, R>) =>
  Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(Effect.interruptible(attempt)), Fiber.join))
