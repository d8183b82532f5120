import { Deferred, type Duration, Effect, FiberRef } from "effect"
import type { WorkSignal } from "../../../src/events/WorkSignal.js"
import * as Process from "../engine/Process.js"

/**
 * `seen`: the number of signals that had been raised when a process or subscriber last compared this number with
 * `raised`.
 */
interface SignalCount {
  seen: number
}

/**
 * A work signal between simulated processes: it wakes workers that wait for work. If a signal is raised while a process
 * is busy, the process's next wait ends immediately.
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
