import { Deferred, type Duration, Effect, FiberRef } from "effect"
import type { WorkSignal } from "../../../src/events/WorkSignal.js"
import * as Process from "../engine/Process.js"

/** The number of the last signal that a process or subscriber has seen. */
interface SignalCount {
  seen: number
}

/**
 * The signal that wakes workers, between simulated processes. If a signal comes while a process is busy, the process's
 * next wait ends at once.
 */
export const make = (): typeof WorkSignal.Service => {
  let raised = 0
  const ears = new WeakMap<Process.Process, SignalCount>()
  let waiting: Array<Deferred.Deferred<void>> = []

  const listen = (ear: SignalCount, atMost: Duration.Duration): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (ear.seen === raised) {
        const waiter = yield* Deferred.make<void>()
        waiting.push(waiter)
        yield* Process.periodic(Effect.timeoutOption(Deferred.await(waiter), atMost))
        waiting = waiting.filter((one) => one !== waiter)
      }
      ear.seen = raised
    })

  return {
    raise: Effect.suspend(() => {
      raised++
      const woken = waiting
      waiting = []
      return Effect.forEach(woken, (waiter) => Deferred.succeed(waiter, undefined), { discard: true })
    }),
    wait: (atMost) =>
      Effect.flatMap(FiberRef.get(Process.current), (process) => {
        const ear = ears.get(process) ?? { seen: raised }
        ears.set(process, ear)
        return listen(ear, atMost)
      }),
    subscribe: Effect.sync(() => {
      const ear = { seen: raised }
      return (atMost) => listen(ear, atMost)
    })
  }
}
