import { Cause, type Duration, Effect, Fiber, Option } from "effect"
import { authorisationOf, notSigned, record, recordUnsent, REPEATS } from "../deliveries/beforeSending.js"
import * as Delivery from "../deliveries/Delivery.js"
import * as Disclosure from "../deliveries/Disclosure.js"
import { signedPost } from "../deliveries/signedPost.js"
import { toItsEnd } from "../leases/Stopping.js"
import { LegacyStore, Receiver } from "../legacy/index.js"
import { type AppId, Bag, fn, program, retryTransient, Telemetry, Timestamp } from "../shared/index.js"
import * as LegacyDelivery from "./LegacyDelivery.js"
import type { Next } from "./LegacyDelivery.js"

/**
 * The limits for attempts in flight at once. `AT_ONCE`: all attempts of this worker. `OF_ONE_APP`: attempts for one
 * app; without this limit, an app's receivers that do not answer would delay other apps. `TO_ONE_ADDRESS`: attempts of
 * one app to one address; without this limit, a receiver that does not answer would delay the app's other receivers.
 * Each app has its own limit for an address, so no app can delay another app by naming that app's address.
 */
const AT_ONCE = 256
const OF_ONE_APP = 64
const TO_ONE_ADDRESS = 4

export type LegacyFlights = Effect.Effect.Success<ReturnType<typeof make>>

/**
 * Makes legacy deliveries, and keeps at most `room` of them in memory. Deliveries that wait in memory when this worker
 * stops are lost (Spec §6.4.8).
 */
export const make = fn(function* (room: number) {
  const all = yield* Effect.makeSemaphore(AT_ONCE)
  const fibers = new Bag<Fiber.RuntimeFiber<void>>()
  const kept = new Map<AppId, number>()
  const [ofApp, toAddress] = [turnsBy<AppId>(OF_ONE_APP), turnsBy<string>(TO_ONE_ADDRESS)]

  /**
   * Runs `attempt` when a slot is free. A running attempt goes on to its end even when the worker stops. An attempt
   * waits first for a slot of its app at its address, then of its app, then of the worker. In another order, an attempt
   * that only waits for its address would occupy a slot of its app, and an attempt that only waits for its app would
   * occupy a slot of the worker.
   */
  const inTurn = <A, E, R>({ appId, receiver }: LegacyDelivery.LegacyDelivery, attempt: Effect.Effect<A, E, R>) =>
    toAddress(`${appId} ${receiver.url}`, ofApp(appId, all.withPermits(1)(toItsEnd(attempt))))

  const life = (delivery: LegacyDelivery.LegacyDelivery) =>
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
    launch: (delivery: LegacyDelivery.LegacyDelivery) =>
      Effect.gen(function* () {
        const { appId, envelope } = delivery
        const keptOfApp = kept.get(appId) ?? 0
        if (!LegacyDelivery.mayBeKept(keptOfApp, room - fibers.size)) {
          return yield* Effect.logWarning(
            "Too many legacy deliveries of one app wait: this one is lost",
            envelope.eventId
          )
        }
        const fiber = yield* Effect.forkDaemon(Effect.interruptible(Telemetry.inOwnTrace(life(delivery))))
        fibers.add(fiber)
        kept.set(appId, keptOfApp + 1)
        fiber.addObserver(() => {
          fibers.delete(fiber)
          const left = (kept.get(appId) ?? 0) - 1
          if (left > 0) kept.set(appId, left)
          else kept.delete(appId)
        })
      }),
    /** Drops waiting deliveries, and returns when the attempts in flight have ended, at the latest after `atMost`. */
    stop: (atMost: Duration.DurationInput) =>
      Effect.suspend(() => Effect.timeoutOption(Effect.interruptible(Fiber.interruptAll([...fibers])), atMost))
  }
})

/** Runs at most `atOnce` effects concurrently for each key. Further effects wait in the order of their arrival. */
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

/**
 * Makes one attempt like that of a normal delivery: it checks the present permission, writes an entry into the user's
 * access log before it sends the first attempt, and waits at most five seconds for the answer. Returns the next
 * attempt; undefined when the delivery has ended. A failure of the store is a fault of the service, so the same attempt
 * is made again later.
 */
const deliverLegacy = program(
  "deliverLegacy",
  function* (delivery: LegacyDelivery.LegacyDelivery) {
    const authorisation = yield* authorisationOf(delivery)
    const permission = (yield* isThere(delivery)) ? authorisation : Option.none()
    const now = yield* Timestamp.now
    switch (Delivery.verdict(delivery, permission, now)) {
      // A legacy delivery does not wait in memory for the end of a suspension, because it would take the room of other
      // deliveries.
      case "suspended":
      case "not_authorised":
        // If the connection does not exist, its user was deleted, and so was the access log.
        if (Option.isSome(authorisation)) yield* recordUnsent(Disclosure.notAllowed(delivery, now))
        return undefined
      case "too_old":
        yield* recordUnsent(Disclosure.withheld(delivery))
        return undefined
      case "send": {
        yield* record(Disclosure.sent(delivery))
        const { receiver, userId } = delivery
        const { answer, endedAt } = yield* signedPost({
          url: receiver.url,
          secrets: [{ sealed: receiver.sealed, createdAt: delivery.createdAt, expiresAt: null }],
          sealContext: Receiver.sealContext(userId, receiver.id),
          body: LegacyDelivery.body(delivery)
        }).pipe(Effect.catchTag("VaultError", notSigned))
        return LegacyDelivery.afterAttempt(delivery, answer, endedAt)
      }
    }
  },
  (attempt, delivery) =>
    Effect.catchTag(attempt, "StoreError", (error) =>
      Effect.gen(function* () {
        yield* Effect.logWarning("A legacy delivery waits for the store", error)
        const answer = { _tag: "NotSent", detail: "the store failed" } as const
        return LegacyDelivery.afterAttempt(delivery, answer, yield* Timestamp.now)
      })
    )
)

/**
 * Whether the receiver's subscription still exists. Always true when the receiver is the address of a rule, because the
 * check of the permission finds out whether the rule exists.
 */
const isThere = ({ envelope, receiver, userId }: LegacyDelivery.LegacyDelivery) =>
  Effect.gen(function* () {
    if (receiver._tag === "Rule") return true
    if (envelope.grantId === null) return false
    const store = yield* LegacyStore
    return yield* retryTransient(REPEATS)(store.isSubscribed(userId, envelope.grantId, receiver.id))
  })
