import { Deferred, Effect, Layer, Queue } from "effect"
import { WorkSignal } from "../../../src/events/WorkSignal.js"

/**
 * The signal that wakes workers, within one process. If no worker waits when the signal comes, the next wait ends
 * immediately.
 */
export const make: Effect.Effect<typeof WorkSignal.Service> = Effect.sync(() => {
  const waiting = new Set<Deferred.Deferred<void>>()
  const subscribers = new Set<Queue.Queue<void>>()
  let isPending = false
  return {
    raise: Effect.suspend(() => {
      if (waiting.size === 0) isPending = true
      const woken = [...waiting]
      waiting.clear()
      for (const subscriber of subscribers) subscriber.unsafeOffer(undefined)
      return Effect.forEach(woken, (waiter) => Deferred.succeed(waiter, undefined), { discard: true })
    }),
    wait: (atMost) =>
      Effect.gen(function* () {
        if (isPending) {
          isPending = false
          return
        }
        const waiter = yield* Deferred.make<void>()
        waiting.add(waiter)
        yield* Deferred.await(waiter).pipe(
          Effect.timeoutOption(atMost),
          Effect.ensuring(Effect.sync(() => waiting.delete(waiter)))
        )
      }),
    subscribe: Effect.acquireRelease(
      Effect.tap(Queue.sliding<void>(1), (own) => Effect.sync(() => subscribers.add(own))),
      (own) => Effect.sync(() => subscribers.delete(own))
    ).pipe(Effect.map((own) => (atMost) => Effect.asVoid(Effect.timeoutOption(Queue.take(own), atMost))))
  }
})

export const layer: Layer.Layer<WorkSignal> = Layer.effect(WorkSignal, make)
